import { expect, test } from 'vitest'
import { chooseDisplay, NoVncServer, requireProgram } from './desktop.ts'
import { obscure } from './vnc-programs.ts'

test.each([
  { hasWayland: false, says: /^No X11 display runs on this machine/ },
  { hasWayland: true, says: /^The desktop of this machine is Wayland/ },
])('a machine without X11 says so, Wayland: $hasWayland', ({ hasWayland, says }) => {
  expect(() => chooseDisplay({ displays: [], hasWayland }, null)).toThrow(says)
})

test('X11 is shown also where another desktop is Wayland', () => {
  const display = { name: ':3', authority: undefined }
  expect(chooseDisplay({ displays: [display], hasWayland: true }, null)).toBe(display)
})

test('issue 4, 2.6: a machine without a VNC server says what to install', () => {
  expect(() => requireProgram(undefined)).toThrow(NoVncServer)
  expect(() => requireProgram(undefined)).toThrow(/it needs x11vnc or/)
})

test('a password is hidden as vncpasswd hides it', () => {
  expect(obscure('password').toString('hex')).toBe('dbd83cfd727a1458')
})
