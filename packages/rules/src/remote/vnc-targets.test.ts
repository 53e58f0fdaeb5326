import { expect, test } from 'vitest'
import { DEFAULT_VNC_TARGETS, isAllowedVncTarget, whyNoVncTarget } from './vnc-targets.ts'

test.each([
  [DEFAULT_VNC_TARGETS, 'localhost', 5900, true],
  [DEFAULT_VNC_TARGETS, '127.0.0.1', 5999, true],
  [DEFAULT_VNC_TARGETS, 'LOCALHOST', 5901, true],
  [DEFAULT_VNC_TARGETS, 'localhost', 22, false],
  [DEFAULT_VNC_TARGETS, '10.0.0.5', 5900, false],
  // Other spellings of the machine itself, and invalid hosts.
  [DEFAULT_VNC_TARGETS, '127.1', 5900, false],
  [DEFAULT_VNC_TARGETS, '2130706433', 5900, false],
  [DEFAULT_VNC_TARGETS, '::1', 5900, false],
  [['*:1-65535'], 'a b', 5900, false],
  [['*:1-65535'], '', 5900, false],
  [['*:1-65535'], 'anything.example', 22, true],
  [['10.0.0.0/8:5900'], '10.255.0.1', 5900, true],
  [['10.0.0.0/8:5900'], '11.0.0.1', 5900, false],
  [['10.0.0.0/8:5900'], '10.0.0.1.evil.example', 5900, false],
  [['10.0.0.0/8:5900'], '010.0.0.1', 5900, false],
  [['192.168.1.128/25:5900-5901'], '192.168.1.127', 5900, false],
  [['192.168.1.128/25:5900-5901'], '192.168.1.200', 5901, true],
  [['0.0.0.0/0:5900'], '8.8.8.8', 5900, true],
  [['printer.local:5900'], 'Printer.Local', 5900, true],
  [['printer.local:5900'], 'other.local', 5900, false],
  [['nonsense', 'printer.local:5900'], 'printer.local', 5900, true],
  [[], 'localhost', 5900, false],
])('%j, %s:%i: %s', (lines, host, port, allowed) => {
  expect(isAllowedVncTarget(lines, { host, port })).toBe(allowed)
})

test.each([
  'localhost',
  'localhost:0',
  'localhost:70000',
  'localhost:9-1',
  '10.0.0.0/33:5900',
  'a b:1',
  '1.2.3/8:1',
  '',
])('%j is not a valid target', (line) => {
  expect(whyNoVncTarget(line)).toContain('Use host:port')
})
