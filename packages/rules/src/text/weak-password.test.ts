import { describe, expect, test } from 'vitest'
import { findPasswordFault } from './weak-password.ts'

describe('common passwords', () => {
  test.each([
    '1234567890',
    'aaaaaaaaaa',
    '1212121212',
    '0987654321',
    'passwordpassword',
    'Password123',
    'P@ssw0rd2024',
    'Passw0rd!!',
    'password-2026',
    'Welcome12345',
    'WelcomeToMuster1',
    'Admin@12345',
    'Administrator1',
    'iloveyou1234',
    'letmein2024!',
    'ChangeMe123!',
    'Summer2026!',
    'Winter_2025',
    'qwertyuiop',
    'qwerty123456',
    'qwertz12345',
    '1q2w3e4r5t',
    '1qaz2wsx3edc',
    'asdfghjkl;',
    'abcdefghij',
    'abc123abc123',
    'abcd123456',
    '!!!password',
    'monkeydragon',
    'my secret 1',
    'football1999',
    'superman2000!',
    'trustno1trustno1',
    'geheim geheim',
  ])('%s is refused', (password) => {
    expect(findPasswordFault(password)).toMatch(/common/)
  })

  test.each([
    'correct horse battery',
    'a long enough one',
    'the new password',
    'tKq83bLx0a',
    'vf4h2k9qpz71',
    'dragon8472910384',
    'Passwords are for the weak',
    'blue-cupboard-17-ladder',
    'x'.repeat(3) + 'o7#Lm!2',
  ])('%s is accepted', (password) => {
    expect(findPasswordFault(password)).toBeUndefined()
  })

  // An expression that goes back over its input would take minutes, and the test its time limit.
  test('even the longest text is checked at once', () => {
    expect(() => findPasswordFault(`${'passwordpass'.repeat(90)}x`.slice(0, 1024))).not.toThrow()
    expect(() => findPasswordFault('passwordwordpasspasswordwordpasswordpas')).not.toThrow()
  })
})

describe('leaked passwords', () => {
  const leaked = new Set(['blue-cupboard-17-ladder', 'cupboard'])

  test.each(['blue-cupboard-17-ladder', 'Blue-Cupboard-17-Ladder', 'Cupboard1998', '!cupboard123'])(
    '%s is refused',
    (password) => expect(findPasswordFault(password, { leaked })).toMatch(/common/),
  )

  test.each(['cupboard8472910384', 'blue-cupboard-18-ladder'])('%s is accepted', (password) =>
    expect(findPasswordFault(password, { leaked })).toBeUndefined(),
  )
})

test('a password has the minimum length', () => {
  expect(findPasswordFault('kites fly hig', { minCharacters: 14 })).toBe(
    'A password has at least 14 characters.',
  )
  expect(findPasswordFault('kites fly high', { minCharacters: 14 })).toBeUndefined()
})

test.each([
  ['ada', 'Ada-likes-kites', true],
  ['grace.hopper', 'xGRACE.HOPPERx', true],
  ['grace@example.com', 'kites of grace', true],
  ['al', 'normal kites fly', false],
  ['ada', 'kites fly high', false],
])('the name %s in %s', (username, password, isRefused) => {
  const fault = findPasswordFault(password, { username })
  expect(fault).toEqual(isRefused ? 'The password contains the user name. Choose another one.' : undefined)
})
