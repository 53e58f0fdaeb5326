import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelFrame,
} from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { openBus } from '../bus/open-bus.ts'
import { findNats, startTestNats } from '../bus/test-nats.ts'
import { BusChannels } from './bus-channels.ts'

const log = { error: vi.fn<() => void>(), warn: vi.fn<() => void>(), info: vi.fn<() => void>() }

/** A reader that records its input. */
function createReader() {
  const received: string[] = []
  const ends: ChannelEnd[] = []
  return {
    received,
    ends,
    onFrame: (bytes: Uint8Array) => {
      const frame = decodeChannelFrame(bytes)
      received.push('wrong' in frame ? frame.wrong : Buffer.from(frame.payload).toString())
    },
    onEnd: (end: ChannelEnd) => void ends.push(end),
  }
}

const say = (text: string) =>
  encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 7, payload: Buffer.from(text) })

async function openTwo(url: string | undefined) {
  const here = await openBus(url, log, 'key')
  const there = url === undefined ? here : await openBus(url, log, 'key')
  const [mine, others] = [new BusChannels(here), new BusChannels(there)]
  const [person, machine] = [createReader(), createReader()]
  const id = crypto.randomUUID()
  const toMachine = await mine.open(id, 'person', person)
  const toPerson = await others.open(id, 'machine', machine)
  return { here, there, mine, others, person, machine, toMachine, toPerson }
}

const kinds = findNats() === undefined ? ['in process'] : ['in process', 'nats']
test.each(kinds)('%s: frames cross in order, and ending one side ends the other', async (kind) => {
  await using nats = kind === 'nats' ? await startTestNats() : undefined
  const two = await openTwo(nats?.url)
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`)
  for (const line of lines) two.toPerson.send(say(line))
  two.toMachine.send(say('a key'))
  await vi.waitFor(() => expect(two.person.received).toEqual(lines))
  await vi.waitFor(() => expect(two.machine.received).toEqual(['a key']))
  two.toMachine.end({ code: 'closed', message: 'Closed.' })
  await vi.waitFor(() => expect(two.machine.ends).toEqual([{ code: 'closed', message: 'Closed.' }]))
  expect([two.mine.size, two.others.size]).toEqual([0, 0])
  expect(two.person.ends).toEqual([])
  await two.here[Symbol.asyncDispose]()
  await two.there[Symbol.asyncDispose]()
})

test('a killed process is detected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const bus = await openBus(undefined, log, 'key')
    const channelReader = createReader()
    await new BusChannels(bus).open(crypto.randomUUID(), 'person', channelReader)
    vi.advanceTimersByTime(10_000)
    expect(channelReader.ends).toMatchObject([{ code: 'link_lost' }])
  } finally {
    vi.useRealTimers()
  }
})
