import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { daemonLabel, plistText } from './launchd-service.ts'

const FOLDER = '/Library/Application Support/muster-agent'

test('launchd gets a property list that starts the agent with the machine', () => {
  const text = plistText({
    folder: FOLDER,
    program: ['/usr/local/muster-agent/node', '/opt/a & b/agent.mjs'],
  })
  const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
  const read: unknown = JSON.parse(execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' }))
  expect(read).toEqual({
    Label: 'com.muster.agent',
    ProgramArguments: ['/usr/local/muster-agent/node', '/opt/a & b/agent.mjs', 'run', '--data', FOLDER],
    RunAtLoad: true,
    KeepAlive: true,
    ThrottleInterval: 5,
    ExitTimeOut: 15,
    StandardErrorPath: '/var/log/com.muster.agent.log',
  })
})

test('an agent with its own data folder has its own daemon', () => {
  expect(daemonLabel('/srv/second')).toMatch(/^com\.muster\.agent-[0-9a-f]{8}$/)
  expect(daemonLabel('/srv/second')).not.toBe(daemonLabel('/srv/third'))
})
