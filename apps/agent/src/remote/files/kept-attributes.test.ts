import {
  chownSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  ACCESS_LIST,
  accessListFor,
  DEFAULT_ACCESS_LIST,
  givenFlag,
  readAttributes,
  setAttributes,
} from '../../testing/given-attributes.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { ask, givenSaves, raw } from './test-files.ts'

const isRoot = process.getuid?.() === 0
const KEPT = {
  'user.note': Buffer.from('kept').toString('hex'),
  [ACCESS_LIST]: accessListFor(1),
  ...(isRoot ? { 'security.selinux': Buffer.from('system_u:object_r:etc_t:s0\0').toString('hex') } : {}),
}
/** cap_net_bind_service, as setcap writes it. */
const CAPABILITY = { 'security.capability': '0100000200040000000000000000000000000000' }

async function prepare() {
  const { server } = await givenAgent()
  const folder = givenFolder()
  const target = join(folder, 'hosts')
  return { server, folder, target, saves: givenSaves(server, folder), names: () => readdirSync(folder) }
}

/** The file's inode number, which no other file gets while the test runs. */
function holdInode(path: string): number {
  const opened = openSync(path, 'r')
  onTestFinished(() => closeSync(opened))
  return fstatSync(opened).ino
}

test('a text that is saved keeps access list, attributes, label and owner, but no capability', async () => {
  const { target, saves, names } = await prepare()
  writeFileSync(target, 'old', { mode: 0o660 })
  if (isRoot) chownSync(target, 1, 2)
  setAttributes(target, { ...KEPT, ...(isRoot ? CAPABILITY : {}) })
  const before = statSync(target)
  const replaced = holdInode(target)
  for (const [at, save] of saves.entries()) {
    expect((await save(`new ${at}`)).refused).toBeNull()
    expect(readFileSync(target, 'utf8')).toBe(`new ${at}`)
    expect(readAttributes(target)).toEqual(KEPT)
    const { ino, uid, gid, mode } = statSync(target)
    expect([uid, gid, mode]).toEqual([before.uid, before.gid, before.mode])
    expect(ino).not.toBe(replaced)
  }
  expect(names()).toEqual(['hosts'])
})

test('a file without an access list gets none from its folder', async () => {
  const { folder, target, saves } = await prepare()
  writeFileSync(target, 'old', { mode: 0o640 })
  setAttributes(folder, { [DEFAULT_ACCESS_LIST]: accessListFor(1) })
  for (const save of saves) {
    expect((await save('new')).refused).toBeNull()
    expect([readAttributes(target), (statSync(target).mode & 0o777).toString(8)]).toEqual([{}, '640'])
  }
})

test('without a cp that copies attributes, a file that is no program is written in place', async () => {
  const { target, saves, names } = await prepare()
  givenPrograms({ cp: 'echo "cp: unrecognized option: attributes-only" >&2; exit 1' })
  writeFileSync(target, 'the former content, which is longer', { mode: 0o660 })
  setAttributes(target, KEPT)
  const { ino } = statSync(target)
  for (const [at, save] of saves.entries()) {
    expect((await save(`new ${at}`)).refused).toBeNull()
    expect([readFileSync(target, 'utf8'), readAttributes(target), statSync(target).ino]).toEqual([
      `new ${at}`,
      KEPT,
      ino,
    ])
  }
  rmSync(target)
  writeFileSync(target, 'old', { mode: 0o750 })
  const program = holdInode(target)
  for (const save of saves) expect((await save('new')).refused).toBeNull()
  expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777]).toEqual(['new', 0o750])
  expect(statSync(target).ino).not.toBe(program)
  expect(names()).toEqual(['hosts'])
})

test('a refusal names the attribute of a file or folder that forbids a change', async () => {
  const { server, folder, target, saves } = await prepare()
  writeFileSync(target, 'old')
  mkdirSync(join(folder, 'closed'))
  writeFileSync(join(folder, 'closed/hosts'), 'old')
  writeFileSync(join(folder, 'log'), 'old')
  const isPossible = givenFlag(target, 'i') && givenFlag(join(folder, 'closed'), 'i')
  if (!isPossible) return expect(isRoot).toBe(false)
  givenFlag(join(folder, 'log'), 'a')
  const immutable = 'The file is immutable (chattr +i). Run chattr -i on the machine first.'
  const path = raw(target)
  for (const save of saves) {
    expect((await save('new')).refused).toBe(immutable)
    expect((await save('new', 'closed/hosts')).refused).toBe(
      'The folder is immutable (chattr +i). Run chattr -i on the machine first.',
    )
    expect((await save('new', 'log')).refused).toBe(
      'The file is append-only (chattr +a). Run chattr -a on the machine first.',
    )
  }
  const changes = [
    { change: 'delete', path },
    { change: 'move', path, to: raw(join(folder, 'other')) },
    { change: 'set-mode', path, mode: 0o600 },
  ] as const
  for (const change of changes) expect((await ask(server, 'change-file', change)).refused).toBe(immutable)
  const made = await ask(server, 'change-file', {
    change: 'make-folder',
    path: raw(join(folder, 'closed/new')),
  })
  expect(made.refused).toMatch(/^The folder is immutable/)
  expect(readdirSync(folder).toSorted()).toEqual(['closed', 'hosts', 'log'])
})
