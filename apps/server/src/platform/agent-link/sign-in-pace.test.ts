import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SignInPace } from './sign-in-pace.ts'

function prepare(agents: number) {
  const pace = new SignInPace()
  const signedIn: number[] = []
  const all = Array.from({ length: agents }, async (_, number) => {
    await pace.turn()
    signedIn.push(number)
  })
  return { pace, signedIn, all: Promise.all(all) }
}

test('agents that connect at once sign in a handful per turn of the event loop, in order', async () => {
  const { signedIn, all } = prepare(20)
  const perTurn: number[] = []
  while (signedIn.length < 20) {
    await setImmediate()
    perTurn.push(signedIn.length)
  }
  await all
  expect(signedIn).toEqual(Array.from({ length: 20 }, (_, number) => number))
  expect(Math.max(...perTurn.map((count, turn) => count - (perTurn[turn - 1] ?? 0)))).toBe(8)
})

test('new connections are accepted before agents sign in, but sign-ins are never starved', async () => {
  const { pace, signedIn, all } = prepare(8)
  await all
  const later = pace.turn().then(() => signedIn.push(8))
  for (let turn = 0; turn < 5; turn++) {
    pace.noteConnection()
    await setImmediate()
  }
  expect(signedIn).toHaveLength(8)
  const startedMs = performance.now()
  while (signedIn.length < 9 && performance.now() - startedMs < 5000) {
    pace.noteConnection()
    await setTimeout(1)
  }
  await later
  expect(signedIn).toHaveLength(9)
})

test('while a page opens, sign-ins pause between handfuls, so that the page goes first', async () => {
  const { pace, signedIn, all } = prepare(100)
  pace.noteRequest()
  for (let turn = 0; turn < 20; turn++) {
    pace.noteRequest()
    await setImmediate()
  }
  expect(signedIn.length).toBeLessThanOrEqual(16)
  await all
  expect(signedIn).toHaveLength(100)
})
