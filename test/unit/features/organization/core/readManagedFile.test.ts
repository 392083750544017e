import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { windowsStranger } from '../../../../../src/features/organization/core/readManagedFile';
import { temporaryFolder } from '../../../../setup/paths';

const INSTALLER = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464';
/** As Windows writes them for a file below Program Files. */
const USUAL = `O:BAG:SYD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)(A;ID;0x1200a9;;;AC)(A;ID;0x1200a9;;;S-1-15-2-2)`;
const FOLDER = `O:${INSTALLER}G:${INSTALLER}D:PAI(A;;FA;;;${INSTALLER})(A;CIIO;GA;;;${INSTALLER})(A;;0x1301bf;;;SY)(A;OICIIO;GA;;;SY)(A;;0x1301bf;;;BA)(A;OICIIO;GA;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICIIO;GA;;;CO)`;

describe('who may write a managed file on Windows', () => {
  let folder: string;
  let count = 0;
  before(() => {
    folder = temporaryFolder();
  });

  const newFile = () => {
    const path = join(folder, `${++count}.json`);
    writeFileSync(path, '{}');
    return path;
  };
  const said = async (sddl: string) => {
    const stranger = await windowsStranger(newFile(), async () => sddl);
    return stranger ? english(stranger) : 'administrators only';
  };

  it('is administrators and the system, where others may only read', async () => {
    for (const sddl of [
      USUAL,
      `${USUAL}\r\n`,
      FOLDER,
      'O:SYD:P(A;;FA;;;BA)(A;;FRFX;;;WD)',
      `${USUAL}S:AI(AU;ID;FA;;;WD)`,
    ])
      assert.equal(await said(sddl), 'administrators only', sddl);
  });

  it('is somebody else who owns it', async () => {
    const sddl = USUAL.replace('O:BA', 'O:S-1-5-21-1-2-3-1001');
    assert.match(await said(sddl), /does not belong to the administrator/);
  });

  it('is whoever has any right beyond reading @windowsOwner.whoever-right-beyond', async () => {
    for (const rights of [
      '(A;;FA;;;BU)',
      '(A;;GA;;;WD)',
      '(A;;FW;;;AU)',
      '(A;;SD;;;IU)',
      '(A;;WD;;;BU)',
      '(A;;WO;;;BU)',
      '(A;;0x1301bf;;;BU)',
      '(A;OICI;0x100116;;;S-1-5-21-1-2-3-1001)',
      '(A;;FRDC;;;BU)',
      '(OA;;CR;;;BU)',
      '(XA;;FA;;;BU;(x))',
      '(A;;;;;BU)(A;;oops;;;BU)',
    ])
      assert.match(await said(USUAL + rights), /can be written by others|cannot be told/, rights);
  });

  it('cannot be told from what is not understood, so that the file does not count @windowsOwner.told-understood-file', async () => {
    for (const sddl of [
      '',
      'O:BA',
      'O:BAG:SY',
      'O:BAD:',
      'O:BAD:NO_ACCESS_CONTROL',
      'D:(A;;FA;;;BA)',
      'Get-Acl : error',
    ])
      assert.match(await said(sddl), /^it cannot be told who may write/, sddl);
    const fails = () => Promise.reject(new Error('no PowerShell'));
    const stranger = await windowsStranger(newFile(), fails);
    assert.match(english(stranger!), /^it cannot be told who may write/);
  });

  it('is looked up once, until the file or its rights change, and again after a failure', async () => {
    const path = newFile();
    let asked = 0;
    const read = async () => {
      asked++;
      if (asked === 1) throw new Error('busy');
      return USUAL;
    };
    assert.ok(await windowsStranger(path, read));
    assert.equal(await windowsStranger(path, read), undefined);
    assert.equal(await windowsStranger(path, read), undefined);
    assert.equal(asked, 2);
  });
});
