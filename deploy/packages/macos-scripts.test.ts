import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeScripts } from './build-macos.mjs'

// The scripts of the archive for macOS in folders of the test, with stand-ins for launchctl, id and Node.
const NODE = `#!/bin/sh
here=$(dirname "$0")
note() { echo "$*" >> "$LOG"; }
note "node $(basename "$1") $2 token=$MUSTER_ENROL_TOKEN"
case "$2" in
  lay-out) touch "$here/muster-agent.mjs";;
  enrol) [ -e "$REFUSED" ] && exit 1; mkdir -p "$DATA"; echo {} > "$DATA/agent.json"; note "enrol $*";;
esac
exit 0
`

function givenArchive() {
  const root = mkdtempSync(join(tmpdir(), 'muster-macos-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (...parts: string[]) => join(root, ...parts)
  const program = at('usr/local/muster-agent')
  const data = at('Library/Application Support/muster-agent')
  const write = (file: string, text: string) => writeFileSync(file, text, { mode: 0o755 })
  for (const folder of [at('archive/program/package'), at('bin')]) mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(makeScripts({ program, data }))) write(at('archive', file), text)
  write(at('archive/program/node'), NODE)
  write(at('archive/program/package/agent.mjs'), '')
  write(at('bin/launchctl'), '#!/bin/sh\necho "launchctl $*" >> "$LOG"\nexit 3\n')
  write(at('bin/id'), '#!/bin/sh\necho "${USER_ID:-0}"\n')
  const run = (
    script: string,
    args: string[],
    more: { env?: Record<string, string>; input?: string } = {},
  ) => {
    rmSync(at('log'), { force: true })
    const PATH = `${at('bin')}:${process.env.PATH ?? ''}`
    const env = { PATH, LOG: at('log'), DATA: data, REFUSED: at('refused'), ...more.env }
    const { status, stdout, stderr } = spawnSync('sh', [at('archive', script), ...args], {
      env,
      input: more.input ?? '',
      encoding: 'utf8',
    })
    const log = existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trim().split('\n') : []
    return { status, said: stdout + stderr, log }
  }
  return { run, at, program, data }
}

test('the installer of the archive for macOS enrols the machine once, and replaces the program later', () => {
  const { run, program, data } = givenArchive()
  const server = ['--server', 'https://muster.example.com']
  const first = run('install.sh', server, { input: 'secret-token\n' })
  expect(first).toMatchObject({ status: 0 })
  expect(first.log).toEqual([
    'launchctl bootout system/com.muster.agent',
    'node agent.mjs lay-out token=',
    'node muster-agent.mjs enrol token=secret-token',
    // The token is in no command line.
    expect.stringMatching(
      /^enrol \S+muster-agent\.mjs enrol --data .+ --server https:\/\/muster\.example\.com$/,
    ),
    'node muster-agent.mjs install token=secret-token',
  ])
  expect(existsSync(join(data, 'agent.json'))).toBe(true)

  // Files that an update of the agent left stay, an old part of the program does not.
  mkdirSync(join(program, 'versions'))
  writeFileSync(join(program, 'current.json'), '{}')
  writeFileSync(join(program, 'old.node'), '')
  const again = run('install.sh', [])
  expect(again).toMatchObject({
    status: 0,
    log: expect.arrayContaining(['node muster-agent.mjs install token=']),
  })
  expect(again.log.join('\n')).not.toContain('enrol ')
  const parts = ['versions', 'current.json', 'old.node', 'node', 'package/agent.mjs']
  expect(parts.map((part) => existsSync(join(program, part)))).toEqual([true, true, false, true, true])

  expect(run('uninstall.sh', [])).toEqual({
    status: 0,
    said: '',
    log: ['node muster-agent.mjs uninstall token='],
  })
})

test('the installer for macOS stops with a reason', () => {
  const { run, at, program } = givenArchive()
  const server = ['--server', 'https://muster.example.com']
  expect(run('install.sh', server, { env: { USER_ID: '501' } })).toEqual({
    status: 1,
    said: 'muster: run this as root, with sudo\n',
    log: [],
  })
  expect(existsSync(program)).toBe(false)
  expect(run('install.sh', [])).toMatchObject({
    status: 1,
    said: 'muster: this machine is not enrolled yet. Add --server URL\n',
  })
  writeFileSync(at('refused'), '')
  const refused = run('install.sh', server, { env: { MUSTER_ENROL_TOKEN: 'used-up' } })
  expect(refused).toMatchObject({ status: 1, said: 'muster: the machine could not be enrolled\n' })
  expect(refused.log.at(-1)).toBe('node muster-agent.mjs enrol token=used-up')
})
