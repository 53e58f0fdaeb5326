import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STANDARD_FOLDER, unitName, unitText } from './systemd-service.ts'

test('the packaged service file is the one that the agent installs', () => {
  const file = join(import.meta.dirname, '../../../../../deploy/systemd/muster-agent.service')
  const program = ['/opt/muster-agent/node', '/opt/muster-agent/muster-agent.mjs']
  expect(readFileSync(file, 'utf8')).toBe(unitText({ folder: STANDARD_FOLDER, program }))
})

test('an agent with its own data folder has its own service', () => {
  expect(unitName('/var/lib/muster-agent')).toBe('muster-agent.service')
  expect(unitName('/srv/second')).toMatch(/^muster-agent-[0-9a-f]{8}\.service$/)
  expect(unitName('/srv/second')).not.toBe(unitName('/srv/third'))
})

test('special characters in paths are quoted for systemd', () => {
  expect(unitText({ folder: '/srv/my data/50%', program: ['/opt/a"b/node'] })).toContain(
    'ExecStart="/opt/a\\"b/node" run --data "/srv/my data/50%%"\n',
  )
})
