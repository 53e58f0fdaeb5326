import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deleteScript, editScript, listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { loadStarterSet, readStarterSet } from './load-starter-set.ts'
import { LONG_PATIENCE_MS } from '../../../../../tools/patience.ts'

const FOLDER = fileURLToPath(new URL('../../../scripts', import.meta.url))
const set = await readStarterSet()
const byPlatform = (platform: 'linux' | 'windows' | 'darwin') =>
  set.filter(({ supported_platforms: only }) => only.length === 0 || only.includes(platform))
const run = promisify(execFile)

test('at least forty scripts are built in, each once, and no file is left out', async () => {
  expect(set.length).toBeGreaterThanOrEqual(40)
  expect(new Set(set.map(({ name }) => name)).size).toBe(set.length)
  const files = (await readdir(FOLDER)).filter((name) => name !== 'index.json')
  expect(files.toSorted()).toEqual(set.map(({ filename }) => filename).toSorted())
})

/** Small and harmless arguments for tests. Other scripts use their defaults. */
const ARGS: Record<string, string[]> = {
  'big-folders.sh': [FOLDER, '3'],
  'suid-files.sh': [FOLDER],
  'duplicate-files.py': [FOLDER, '0'],
  'folder-age.py': [FOLDER, '1000000'],
  'temp-clean.sh': [FOLDER, '100000'],
  'file-hash.py': [join(FOLDER, 'index.json')],
  'tcp-check.py': ['127.0.0.1:1'],
  'http-check.py': ['http://127.0.0.1:1/'],
  'certificate-expiry.py': ['127.0.0.1:1'],
}

// Only Linux scripts can run here. The others are only read.
const runnable = process.platform === 'linux' ? byPlatform('linux') : []
test.each(runnable.map(({ filename }) => filename))(
  '%s runs on this machine, prints something, and exits with a known code',
  async (filename) => {
    const script = set.find((one) => one.filename === filename)
    const program = filename.endsWith('.py') ? 'python3' : 'sh'
    const args = [join(FOLDER, filename), ...(ARGS[filename] ?? script?.args ?? [])]
    const ended = await run(program, args, { timeout: LONG_PATIENCE_MS }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      // execFile rejects with its output.
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
    // 0 = fine, 1 = found a problem, 2 = not available on this machine.
    expect([0, 1, 2], `${ended.stdout}\n${ended.stderr}`).toContain(ended.code)
    expect(`${ended.stdout}${ended.stderr}`.trim()).not.toBe('')
    expect(ended.stderr).not.toMatch(/syntax error|unexpected|Traceback|unbound variable|not found/i)
  },
)

test('old temporary files are listed, and deleted only on request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-clean-'))
  try {
    await writeFile(join(folder, 'old'), 'x')
    await writeFile(join(folder, 'new'), 'x')
    await utimes(join(folder, 'old'), new Date('2020-01-01'), new Date('2020-01-01'))
    const script = join(FOLDER, 'temp-clean.sh')
    const { stdout } = await run('sh', [script, folder, '10'])
    expect(stdout).toContain('Nothing was deleted')
    expect((await readdir(folder)).toSorted()).toEqual(['new', 'old'])
    await run('sh', [script, folder, '10', '--delete'])
    expect(await readdir(folder)).toEqual(['new'])
    await expect(run('sh', [script, '/etc', '10', '--delete'])).rejects.toMatchObject({ code: 2 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each(
  byPlatform('darwin')
    .filter(({ shell }) => shell === 'shell')
    .map(({ filename }) => filename),
)('bash understands %s', async (filename) => {
  await run('bash', ['-n', join(FOLDER, filename)])
})

// There is no PowerShell in tests: this checks strings, comments and brackets only.
test.each(
  byPlatform('windows')
    .filter(({ shell }) => shell === 'powershell')
    .map((one) => [one.filename, one.script_body]),
)('strings and brackets of %s are whole, and it says how it ends', (_name, body) => {
  expect(openBrackets(body)).toBe('')
  expect(body).toMatch(/\bexit [0-9$]/)
})

test('built-in scripts follow the version, keep their marks, and leave taken names alone', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const [first, second, third] = set
  if (first === undefined || second === undefined || third === undefined) throw new Error('a set has three')
  await server.given.script({ name: first.name })
  await loadStarterSet(server.ctx, [first, second])
  const list = async () => (await root.call(listScripts, { query: { showHiddenScripts: 'true' } })).body
  const builtin = (await list()).filter(({ script_type }) => script_type === 'builtin')
  expect(builtin.map(({ name }) => name).toSorted()).toEqual(
    [`${first.name} (built in)`, second.name].toSorted(),
  )
  const id = builtin.find(({ name }) => name === second.name)?.id ?? 0
  await root.call(editScript, { params: { id }, body: { favorite: true, hidden: true } })
  const changed = { ...second, description: 'changed', script_body: 'echo 2' }
  await loadStarterSet(server.ctx, [first, changed, third])
  expect((await list()).find((script) => script.id === id)).toMatchObject({
    description: 'changed',
    favorite: true,
    hidden: true,
  })
  expect((await root.call(editScript, { params: { id }, body: { name: 'Mine' } })).status).toBe(403)
  expect((await root.call(deleteScript, { params: { id } })).status).toBe(403)
  await loadStarterSet(server.ctx, [third])
  expect((await list()).filter(({ script_type }) => script_type === 'builtin')).toHaveLength(1)
  const shown = await root.call(listScripts, { query: { showCommunityScripts: 'false' } })
  expect(shown.body.map(({ name }) => name)).toEqual([first.name])
})

test('the whole set is loaded, and loading it again changes nothing', async () => {
  await using server = await createTestServer()
  await loadStarterSet(server.ctx)
  const read = () => server.ctx.db.selectFrom('scripts').selectAll().orderBy('id').execute()
  const before = await read()
  expect(before).toHaveLength(set.length)
  server.clock.advance(60)
  await loadStarterSet(server.ctx)
  expect(await read()).toEqual(before)
})

/** Returns unclosed brackets. Skips strings and comments. */
function openBrackets(body: string): string {
  const code = body.replaceAll(/'(?:[^']|'')*'|"(?:[^"`]|`.|"")*"|#[^\n]*/g, (text) =>
    text.startsWith('#') ? '' : 'S',
  )
  const open: string[] = []
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
  for (const sign of code) {
    if ('([{'.includes(sign)) open.push(sign)
    else if (sign in pairs && open.pop() !== pairs[sign]) return `unexpected ${sign}`
  }
  return open.join('') + (/["']/.exec(code)?.[0] ?? '')
}
