import { AppError } from '@muster/contract/errors'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_MESSAGE_BYTES, NoResponderError, RequestTimeoutError, type Bus } from './bus.ts'
import { openBus } from './open-bus.ts'
import { findNats, startTestNats, type TestNats } from './test-nats.ts'
import { PATIENCE_MS } from '../../../../../tools/patience.ts'

const hasNats = findNats() !== undefined
if (!hasNats) {
  if (process.env['CI'] === 'true')
    throw new Error('nats-server is not installed: the NATS bus cannot be tested')
  // oxlint-disable-next-line no-console -- people who run the tests must see which ones are skipped.
  console.warn('LEFT OUT: the NATS half of the bus tests, because nats-server is not installed')
}

let nats: TestNats | undefined
beforeAll(async () => {
  if (hasNats) nats = await startTestNats()
})
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]()
})

const options = { timeoutMs: PATIENCE_MS }
/** Shared by the servers of these tests. */
const KEY = 'key of these servers'

function createLog() {
  const lines: string[] = []
  const write = (_details: object, message?: string) => lines.push(message ?? '')
  return { lines, error: write, warn: write, info: write }
}

/** Two ends of one bus: two processes on NATS, or the same object twice in process. */
async function openPair(
  kind: string,
  log = createLog(),
): Promise<AsyncDisposable & { here: Bus; there: Bus }> {
  const url = kind === 'nats' ? nats?.url : undefined
  const here = await openBus(url, log, KEY)
  const there = kind === 'nats' ? await openBus(url, log, KEY) : here
  return {
    here,
    there,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]()
      await there[Symbol.asyncDispose]()
    },
  }
}

/** Received messages. `until(n)` waits for n of them. */
function createInbox() {
  const messages: unknown[] = []
  let notify = () => {}
  return {
    messages,
    handler: (message: unknown) => {
      messages.push(message)
      notify()
    },
    async until(count: number) {
      while (messages.length < count) await new Promise<void>((resolve) => (notify = resolve))
      return messages
    },
  }
}

describe.each(hasNats ? ['in process', 'nats'] : ['in process'])('%s', (kind) => {
  test('every subscriber of a subject gets every message in order, and others get none', async () => {
    await using pair = await openPair(kind)
    const [first, second, other] = [createInbox(), createInbox(), createInbox()]
    await pair.here.subscribe('events', first.handler)
    await pair.there.subscribe('events', second.handler)
    await pair.there.subscribe('events.other', other.handler)
    const messages = Array.from({ length: 500 }, (_, i) => ({
      i,
      text: 'Grüße \0 <img>',
      list: [1, null, true],
    }))
    for (const message of messages) pair.here.publish('events', message)
    expect(await first.until(500)).toEqual(messages)
    expect(await second.until(500)).toEqual(messages)
    expect(other.messages).toEqual([])
  })

  test('a subscriber receives a copy, never before publish returned', async () => {
    await using pair = await openPair(kind)
    const inbox = createInbox()
    await pair.here.subscribe('events', inbox.handler)
    const message = { list: ['before'], when: undefined }
    pair.here.publish('events', message)
    message.list[0] = 'after'
    expect(inbox.messages).toEqual([])
    expect(await inbox.until(1)).toStrictEqual([{ list: ['before'] }])
  })

  test('bytes arrive unchanged and in order, and not after unsubscribing', async () => {
    await using pair = await openPair(kind)
    const inbox = createInbox()
    const unsubscribe = await pair.here.subscribeBytes('channel.a.up', (bytes) => inbox.handler([...bytes]))
    for (let i = 0; i < 300; i += 1) pair.there.publishBytes('channel.a.up', Uint8Array.of(i % 256, 0, 255))
    expect(await inbox.until(300)).toEqual(Array.from({ length: 300 }, (_, i) => [i % 256, 0, 255]))
    await unsubscribe()
    const other = createInbox()
    await pair.here.subscribeBytes('channel.a.up', (bytes) => other.handler([...bytes]))
    pair.there.publishBytes('channel.a.up', new Uint8Array(0))
    expect(await other.until(1)).toEqual([[]])
    expect(inbox.messages).toHaveLength(300)
  })

  test('after unsubscribing nothing arrives', async () => {
    await using pair = await openPair(kind)
    const [gone, stays] = [createInbox(), createInbox()]
    const unsubscribe = await pair.here.subscribe('events', gone.handler)
    await pair.here.subscribe('events', stays.handler)
    pair.there.publish('events', 1)
    await gone.until(1)
    await unsubscribe()
    pair.there.publish('events', 2)
    await stays.until(2)
    expect(gone.messages).toEqual([1])
  })

  test('a failing subscriber is logged and receives the next message', async () => {
    const log = createLog()
    await using pair = await openPair(kind, log)
    const inbox = createInbox()
    await pair.here.subscribe('events', async (message) => {
      inbox.handler(message)
      if (message === 1) throw new Error('no')
    })
    pair.there.publish('events', 1)
    pair.there.publish('events', 2)
    await inbox.until(2)
    await expect.poll(() => log.lines).toEqual(['a bus subscriber failed'])
  })

  test('requests are answered by the other end, several at a time', async () => {
    await using pair = await openPair(kind)
    await pair.there.answer('agent.a', async (message) => ({ echo: message }))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => pair.here.request('agent.a', { i }, options)),
    )
    expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => ({ echo: { i } })))
    await pair.there.answer('agent.nothing', () => undefined)
    expect(await pair.here.request('agent.nothing', undefined, options)).toBeUndefined()
  })

  test('a request without an answerer fails at once, also after the answerer left', async () => {
    await using pair = await openPair(kind)
    await expect(pair.here.request('agent.a', 1, options)).rejects.toThrow(NoResponderError)
    const stop = await pair.there.answer('agent.a', () => 1)
    expect(await pair.here.request('agent.a', 1, options)).toBe(1)
    // Also for a request in flight while the answerer leaves.
    const stopped = stop()
    await expect(pair.here.request('agent.a', 1, options)).rejects.toThrow(NoResponderError)
    await stopped
    await expect(pair.here.request('agent.a', 1, options)).rejects.toThrow(NoResponderError)
  })

  test('a late answer is a timeout', async () => {
    await using pair = await openPair(kind)
    const { promise, resolve } = Promise.withResolvers<void>()
    await pair.there.answer('agent.a', () => promise)
    await expect(pair.here.request('agent.a', 1, { timeoutMs: 30 })).rejects.toThrow(RequestTimeoutError)
    resolve()
  })

  test('an error of the answerer reaches the caller, and an AppError keeps its code', async () => {
    await using pair = await openPair(kind)
    await pair.there.answer('agent.a', (message) => {
      throw message === 1 ? new AppError('agent_offline', 'PC-12 is gone') : new Error('broken')
    })
    await expect(pair.here.request('agent.a', 1, options)).rejects.toMatchObject({
      name: 'AppError',
      code: 'agent_offline',
      message: 'PC-12 is gone',
    })
    await expect(pair.here.request('agent.a', 2, options)).rejects.toThrow('agent.a failed: broken')
  })

  test('one of two answerers receives the request', async () => {
    await using pair = await openPair(kind)
    let asked = 0
    await pair.here.answer('agent.a', () => ++asked)
    await pair.there.answer('agent.a', () => ++asked)
    await pair.here.request('agent.a', 1, options)
    await pair.here.request('agent.a', 1, options)
    expect(asked).toBe(2)
  })

  test('a message over the limit and a subject with wildcards are refused', async () => {
    await using pair = await openPair(kind)
    const large = 'x'.repeat(MAX_MESSAGE_BYTES)
    expect(() => pair.here.publish('events', large)).toThrow(/larger than/)
    await expect(pair.here.request('agent.a', large, options)).rejects.toThrow(/larger than/)
    await pair.there.answer('agent.a', () => large)
    await expect(pair.here.request('agent.a', 1, options)).rejects.toMatchObject({ code: 'too_large' })
    for (const subject of ['agent.*', '>', '', 'a b', 'a..b']) {
      expect(() => pair.here.publish(subject, 1)).toThrow(/invalid bus subject/)
      await expect(pair.here.subscribe(subject, () => undefined)).rejects.toThrow(/invalid bus subject/)
    }
  })

  test('after closing, publishing does nothing and everything else is refused', async () => {
    const bus = await openBus(kind === 'nats' ? nats?.url : undefined, createLog(), KEY)
    await bus[Symbol.asyncDispose]()
    await bus[Symbol.asyncDispose]()
    bus.publish('events', 1)
    await expect(bus.subscribe('events', () => undefined)).rejects.toThrow(/closed/)
    await expect(bus.request('agent.a', 1, options)).rejects.toThrow(/closed/)
  })
})

if (hasNats) describe('nats only', testNatsAlone)

function testNatsAlone() {
  test('the bus reconnects after NATS was killed, and reports it', async () => {
    await using own = await startTestNats()
    const log = createLog()
    await using bus = await openBus(own.url, log, KEY)
    const inbox = createInbox()
    await bus.subscribe('events', inbox.handler)
    await bus.answer('agent.a', () => 'still here')
    const back = Promise.withResolvers<void>()
    bus.onReconnect(back.resolve)
    await own.kill()
    await expect.poll(() => log.lines).toEqual(['connection to NATS lost'])
    await expect(bus.request('agent.a', 1, { timeoutMs: 50 })).rejects.toThrow(RequestTimeoutError)
    // Changes during the outage block nothing and apply after the reconnect.
    const stop = await bus.answer('agent.gone', () => 1)
    await bus.answer('agent.new', () => 'new')
    await stop()
    await own.restart()
    await back.promise
    expect(await bus.request('agent.new', 1, options)).toBe('new')
    await expect(bus.request('agent.gone', 1, options)).rejects.toThrow(NoResponderError)
    bus.publish('events', 'hello again')
    expect(await inbox.until(1)).toEqual(['hello again'])
    expect(await bus.request('agent.a', 1, options)).toBe('still here')
    expect(log.lines).toEqual(['connection to NATS lost', 'connection to NATS restored'])
  })

  test('messages of a program without the key are dropped and logged, and so is a repeated one', async () => {
    await using own = await startTestNats()
    const log = createLog()
    await using bus = await openBus(own.url, log, KEY)
    await using other = await openBus(own.url, createLog(), KEY)
    await using foreign = await openBus(own.url, createLog(), 'another key')
    const stranger = await connect({ servers: own.url })
    const inbox = createInbox()
    const asked = createInbox()
    const bytes = createInbox()
    await bus.subscribe('events', inbox.handler)
    await bus.subscribeBytes('channel.a.up', (content) => bytes.handler([...content]))
    await bus.answer('agent.a', asked.handler)
    const seen: Uint8Array[] = []
    for (const subject of ['events', 'agent.a', 'channel.a.up'])
      stranger.subscribe(subject, { callback: (_, message) => void seen.push(message.data) })
    await stranger.flush()
    const order = JSON.stringify({ value: { kind: 'agent-command', name: 'run-command', input: {} } })
    stranger.publish('events', order)
    stranger.publish('channel.a.up', Uint8Array.of(1, 2, 3))
    await expect(stranger.request('agent.a', order, { timeout: 50 })).rejects.toThrow()
    foreign.publish('events', 'of another installation')
    await expect(foreign.request('agent.a', 1, { timeoutMs: 50 })).rejects.toThrow(RequestTimeoutError)
    await stranger.flush()
    seen.length = 0
    // Messages of a server arrive. The same bytes again, or at another subject, do not.
    other.publish('events', 'of a server')
    other.publishBytes('channel.a.up', Uint8Array.of(7))
    await other.request('agent.a', 'of a server', options)
    await expect.poll(() => seen.length).toBe(3)
    for (const subject of ['events', 'agent.a', 'channel.a.up'])
      for (const message of seen) stranger.publish(subject, message)
    // Forged replies do not count either.
    stranger.subscribe('agent.b', { callback: (_, message) => void message.respond('{"value":{"value":1}}') })
    await stranger.flush()
    await expect(bus.request('agent.b', 1, options)).rejects.toThrow(RequestTimeoutError)
    other.publish('events', 'last')
    expect(await inbox.until(2)).toEqual(['of a server', 'last'])
    expect([asked.messages, bytes.messages]).toEqual([['of a server'], [[7]]])
    expect(new Set(log.lines)).toEqual(
      new Set(['dropped a bus message that no server of this database sent']),
    )
    await stranger.close()
  })

  test('closing while NATS is away does not hang', async () => {
    await using own = await startTestNats()
    const bus = await openBus(own.url, createLog(), KEY)
    await own.kill()
    await bus[Symbol.asyncDispose]()
  })

  test('a missing NATS is reported in one line, without the password', async () => {
    const opened = openBus('nats://someone:secret@127.0.0.1:1', createLog(), KEY)
    await expect(opened).rejects.toThrow(/^The message bus at 127\.0\.0\.1:1 cannot be reached: /)
    await expect(opened).rejects.not.toThrow(/secret/)
  })
}
