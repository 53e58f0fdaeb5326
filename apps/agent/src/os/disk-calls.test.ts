import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDiskTimeout } from './disk-calls.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a hanging disk times out, and blocks a limited number of threads', async () => {
  const hung = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const
  const asked: string[] = []
  const ask = (path: string, answer: Promise<string>) =>
    withDiskTimeout(path, () => {
      asked.push(path)
      return answer
    }).catch((error: Error) => error.message)

  const first = [ask('/nas', hung[0].promise), ask('/usb', hung[1].promise)]
  const third = ask('/', Promise.resolve('fine'))
  await vi.advanceTimersByTimeAsync(5000)
  expect(await Promise.all(first)).toEqual([
    '/nas did not respond within 5 seconds.',
    '/usb did not respond within 5 seconds.',
  ])
  expect(await third).toBe('/nas and /usb did not respond within 5 seconds.')
  expect(asked).toEqual(['/nas', '/usb'])

  const waiting = ask('/', Promise.resolve('fine'))
  const sameAgain = ask('/usb', Promise.resolve('never asked'))
  hung[0].resolve('late')
  expect(await waiting).toBe('fine')
  await vi.advanceTimersByTimeAsync(5000)
  expect(await sameAgain).toBe('/usb did not respond within 5 seconds.')
  hung[1].reject(new Error('too late to matter'))
  await vi.advanceTimersByTimeAsync(0)
  expect(await ask('/usb', Promise.resolve('back'))).toBe('back')
  expect(await ask('/usb', Promise.reject(new Error('no such file')))).toBe('no such file')
})
