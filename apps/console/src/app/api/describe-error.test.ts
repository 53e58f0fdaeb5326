import { ApiError } from '@muster/contract/client'
import { expect, test } from 'vitest'
import { describeError, isAborted, isRefused } from './describe-error.ts'

test('an unreachable server shows the error and the next step', () => {
  const error = new ApiError('The server cannot be reached.', { status: 0, code: 'network' })
  expect(describeError(error)).toEqual({
    message: 'The server cannot be reached.',
    caption: 'Check the connection and try again.',
  })
})

test('a timeout warns before the same thing is done twice', () => {
  const error = new ApiError('The server did not answer in time.', { status: 0, code: 'timeout' })
  expect(describeError(error).caption).toBe('Check the result before you try again.')
})

test.each([500, 503])('a %d shows the request id', (status) => {
  const error = new ApiError('Something went wrong on the server.', {
    status,
    code: 'internal',
    requestId: 'r-17',
  })
  expect(describeError(error).caption).toBe('Request r-17. Try again in a moment.')
})

test('an answer that is not the API keeps its status and the request id', () => {
  const error = new ApiError('The server answered 418 Teapot.', {
    status: 418,
    code: 'unreadable',
    requestId: 'r-2',
  })
  expect(describeError(error)).toEqual({ message: 'The server answered 418 Teapot.', caption: 'Request r-2' })
})

test('too many attempts: the server says itself when to try again', () => {
  const error = new ApiError('Too many attempts. Try again in 12 seconds.', {
    status: 429,
    code: 'too_many_requests',
    retryAfterSeconds: 12,
  })
  expect(describeError(error)).toEqual({
    message: 'Too many attempts. Try again in 12 seconds.',
    caption: undefined,
  })
})

test("a rejected request shows the server's sentence only", () => {
  const error = new ApiError('"name" is not valid: A name is needed.', { status: 400, code: 'invalid' })
  expect(describeError(error)).toEqual({
    message: '"name" is not valid: A name is needed.',
    caption: undefined,
  })
})

test('an internal error shows no details', () => {
  expect(describeError(new TypeError('x is undefined')).message).not.toContain('undefined')
})

test('a role that does not allow it is a state of the screen, a missing second factor is not', () => {
  expect(isRefused(new ApiError('No.', { status: 403, code: 'not_allowed' }))).toBe(true)
  expect(isRefused(new ApiError('Set up TOTP.', { status: 403, code: 'totp_required' }))).toBe(false)
})

test('a cancelled request is not reported', () => {
  expect(isAborted(new ApiError('Cancelled.', { status: 0, code: 'aborted' }))).toBe(true)
})
