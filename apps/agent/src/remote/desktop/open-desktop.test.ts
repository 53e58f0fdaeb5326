import { expect, test } from 'vitest'
import { chooseDisplay, NoVncServer, requireProgram } from './desktop.ts'
import { obscure } from './vnc-programs.ts'

test.each([
  { hasWayland: false, says: /^No X11 display is running on this machine/ },
  { hasWayland: true, says: /^This machine uses Wayland/ },
])('a machine without X11 reports that, Wayland: $hasWayland', ({ hasWayland, says }) => {
  expect(() => chooseDisplay({ displays: [], hasWayland }, null)).toThrow(says)
})

test('X11 is shown even if another desktop uses Wayland', () => {
  const display = { name: ':3', authority: undefined }
  expect(chooseDisplay({ displays: [display], hasWayland: true }, null)).toBe(display)
})

test('a machine without a VNC server reports what to install', () => {
  expect(() => requireProgram(undefined)).toThrow(NoVncServer)
  expect(() => requireProgram(undefined)).toThrow(/it needs x11vnc or/)
})

test('a password is obfuscated like vncpasswd does', () => {
  expect(obscure('password').toString('hex')).toBe('dbd83cfd727a1458')
})
