import { button, connect, el, replaceText } from '../../../editor/webview/page';
import type { FromGalleryPage, GalleryList, ToGalleryPage } from '../core/gallerySearch';
import { DetailsView, IconViews } from './detailsView';
import { ListView } from './listView';

const editor = connect<ToGalleryPage, FromGalleryPage>(receive);
const main = document.querySelector('main')!;
const icons = new IconViews();

// These elements are made once and then changed, so that the person's focus and selection survive.
const title = el('h1');
const source = el('p', 'source');
const search = el('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false' });
const searchLabel = el('label', { for: search.id, class: 'for-readers' });
const sort = el('select', { id: 'sort' });
const sortLabel = el('label', { for: sort.id, class: 'for-readers' });
const status = el('p', { class: 'status', role: 'status' });
const problem = el('section', { class: 'failure', role: 'alert' });
problem.hidden = true;
const empty = el('p', 'empty');
const more = button('', () => editor.postMessage({ type: 'more' }), 'more');
const list = new ListView(icons, {
  select: name => editor.postMessage({ type: 'select', name }),
  open: () => {
    main.classList.add('has-details');
    details.focus();
  },
  leave: () => search.focus(),
});
const details = new DetailsView(icons, {
  post: message => editor.postMessage(message),
  leave: () => {
    main.classList.remove('has-details');
    list.focus();
  },
});
let orders: GalleryList['orders'] = [];
let shownProblem = '';
let shownSource = '';

main.append(
  el('header', '', title, source),
  el('div', 'bar', el('div', '', searchLabel, search, sortLabel, sort), status),
  el('div', 'panes', el('section', 'results', problem, list.element, empty, more), details.element),
);

search.addEventListener('input', () => {
  main.classList.remove('has-details');
  editor.postMessage({ type: 'search', query: search.value });
});
search.addEventListener('keydown', event => {
  if (event.isComposing) return;
  if (event.key === 'ArrowDown') {
    list.focus();
  } else if (event.key === 'Enter') {
    list.openFirst();
  } else if (event.key === 'Escape' && search.value !== '') {
    search.value = '';
    editor.postMessage({ type: 'search', query: '' });
  } else {
    return;
  }
  event.preventDefault();
});
sort.addEventListener('change', () => {
  const { order } = orders[sort.selectedIndex] ?? {};
  if (order) editor.postMessage({ type: 'sort', order });
});
editor.postMessage({ type: 'ready' });

function receive(message: ToGalleryPage): void {
  if (message.type === 'list') showList(message);
  else if (message.type === 'details') details.show(message.details);
  else icons.set(message.name, message.data);
}

function showList(page: GalleryList): void {
  const { labels } = page;
  const isFirst = title.textContent === '';
  replaceText(title, labels.title);
  if (page.source !== shownSource) icons.clear();
  shownSource = page.source;
  replaceText(source, page.source);
  source.hidden = page.source === '';
  replaceText(searchLabel, labels.search);
  search.placeholder = labels.hint;
  search.maxLength = page.maxQuery;
  // What is being typed is newer than what the extension has received.
  if (isFirst) search.value = page.query;
  replaceText(sortLabel, labels.sort);
  if (isFirst) {
    orders = page.orders;
    sort.append(...orders.map(({ order, label }) => el('option', { value: order }, label)));
    sort.title = labels.sort;
  }
  sort.value = page.order;
  replaceText(status, page.status);
  list.element.setAttribute('aria-busy', String(page.isBusy));
  main.classList.toggle('busy', page.isBusy);
  showProblem(page.problem);
  list.show(page.rows, labels.servers);
  replaceText(empty, page.empty ?? '');
  empty.hidden = page.empty === undefined;
  const hadFocus = document.activeElement === more;
  replaceText(more, page.more ?? '');
  more.hidden = page.more === undefined;
  if (hadFocus && more.hidden) list.focus();
  details.label(labels);
  if (isFirst) search.focus();
}

function showProblem(wanted: GalleryList['problem']): void {
  const json = JSON.stringify(wanted) ?? '';
  if (json === shownProblem) return;
  shownProblem = json;
  problem.hidden = !wanted;
  if (!wanted) return;
  const { what, remedy, action, label } = wanted;
  const act = button(label, () => {
    search.focus();
    editor.postMessage({ type: action });
  });
  problem.replaceChildren(el('p', '', what), el('p', '', remedy), act);
}
