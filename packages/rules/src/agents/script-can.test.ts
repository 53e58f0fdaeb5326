import { expect, test } from 'vitest'
import { scriptCan, scriptFitsPlatform } from './available-actions.ts'

test.each([
  [[], 'linux', true],
  [['linux'], 'linux', true],
  [['windows', 'darwin'], 'darwin', true],
  [['windows', 'darwin'], 'linux', false],
  [['windows'], 'win', false],
])('a script for %j on %s', (platforms, plat, fits) => {
  expect(scriptFitsPlatform(platforms, plat)).toBe(fits)
})

const agent = { hostname: 'PC-12', plat: 'linux', connected: true }

test('a script runs on a supported platform, now or when the machine is back', () => {
  const script = { name: 'Clean up', supported_platforms: ['linux'] }
  expect(scriptCan.run(script, agent)).toEqual({ allowed: true, waits: false })
  expect(scriptCan.run(script, { ...agent, connected: false })).toMatchObject({ allowed: true, waits: true })
})

test('a script for other platforms is refused with the reason, connected or not', () => {
  const script = { name: 'Clean up', supported_platforms: ['windows', 'darwin'] }
  const refused = { allowed: false, reason: 'Clean up supports Windows, macOS only, and PC-12 runs Linux.' }
  expect(scriptCan.run(script, agent)).toEqual(refused)
  expect(scriptCan.run(script, { ...agent, connected: false })).toEqual(refused)
})

test('built-in scripts are neither changed nor deleted', () => {
  expect(scriptCan.edit({ script_type: 'userdefined' })).toEqual({ allowed: true })
  expect(scriptCan.remove({ script_type: 'userdefined' })).toEqual({ allowed: true })
  expect(scriptCan.edit({ script_type: 'builtin' })).toEqual({
    allowed: false,
    reason: 'Built-in scripts cannot be changed.',
  })
  expect(scriptCan.remove({ script_type: 'builtin' })).toEqual({
    allowed: false,
    reason: 'Built-in scripts cannot be deleted.',
  })
})
