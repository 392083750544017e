import { el } from '../../../editor/webview/page';

/** In percent of the space that table and details share. */
const [MIN, MAX, STEP] = [20, 80, 5];

/** The line between table and details: dragged, or moved with the arrow keys. */
export class Splitter {
  readonly element: HTMLElement;

  constructor(
    label: string,
    private readonly room: HTMLElement,
    private share: number,
    private readonly onChange: (share: number) => void,
  ) {
    this.element = el('div', {
      role: 'separator',
      class: 'splitter',
      tabindex: '0',
      'aria-label': label,
      'aria-valuemin': String(MIN),
      'aria-valuemax': String(MAX),
      hidden: '',
    });
    this.#set(share);
    this.element.addEventListener('pointerdown', event => this.element.setPointerCapture(event.pointerId));
    this.element.addEventListener('pointermove', event => this.#onMove(event));
    this.element.addEventListener('keydown', event => this.#onKey(event));
  }

  get #isBeside(): boolean {
    return getComputedStyle(this.room).flexDirection === 'row';
  }

  #onMove({ pointerId, clientX, clientY }: PointerEvent): void {
    if (!this.element.hasPointerCapture(pointerId)) return;
    const { left, top, width, height } = this.room.getBoundingClientRect();
    this.#set(this.#isBeside ? 100 - ((clientX - left) / width) * 100 : 100 - ((clientY - top) / height) * 100);
    this.onChange(this.share);
  }

  #onKey(event: KeyboardEvent): void {
    const [more, less] = this.#isBeside ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const step = event.key === more ? STEP : event.key === less ? -STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    this.#set(this.share + step);
    this.onChange(this.share);
  }

  #set(share: number): void {
    this.share = Math.round(Math.min(MAX, Math.max(MIN, share)));
    this.element.setAttribute('aria-valuenow', String(this.share));
    this.room.style.setProperty('--details', `${this.share}%`);
  }
}
