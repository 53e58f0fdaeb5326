import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import type { JoinMode } from '@muster/contract/channels'
import { DEFAULT_REMOTE_RULES } from '@muster/rules/remote/remote-rules'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { TestChannel } from './test-channel.ts'

async function givenShared(mode: JoinMode) {
  const { server } = await givenAgent()
  const anna = await new TestChannel(server, { person: 'Anna (anna)', cols: 91, rows: 33 }).opened()
  anna.type('echo before=$((1 + 1))\n')
  await anna.until(/before=2\r\n/)
  const join = { session: anna.session, mode }
  const ben = await new TestChannel(server, { author: 'ben', person: 'Ben (ben)', join }).opened()
  return { server, anna, ben, join }
}

const reasonOf = (server: Awaited<ReturnType<typeof givenAgent>>['server'], session: string) =>
  server.until(
    () =>
      server.reports.flatMap((report) =>
        report.kind === 'session-ended' && report.session === session ? [report.reason] : [],
      )[0],
  )

test('a viewer sees a running terminal in its size, and both sides see who is present', async () => {
  const { server, anna, ben } = await givenShared('view')
  await ben.until(/before=2\r\n/)
  expect(ben.news[1]).toEqual({ type: 'size', cols: 91, rows: 33 })
  const people = [
    { name: 'Anna (anna)', role: 'owner', here: true },
    { name: 'Ben (ben)', role: 'view', here: true },
  ]
  await server.until(() => anna.people?.length === 2 && ben.people?.length === 2)
  expect([anna.people, ben.people]).toEqual([people, people])
  anna.resize(100, 40)
  await server.until(() => ben.news.some((news) => news.type === 'size' && news.cols === 100))
  ben.close('detached')
  await server.until(() => anna.people?.length === 1)
  expect(await reasonOf(server, ben.session)).toBe('Closed.')
  anna.type('echo still=$((3 + 4))\n')
  await anna.until(/still=7\r\n/)
})

test('a viewer without input cannot type, resize, or end it, whatever the window sends', async () => {
  const { anna, ben } = await givenShared('view')
  ben.type('touch /tmp/never; exit\n')
  ben.resize(20, 5)
  anna.type('stty size\n')
  expect(await anna.until(/33 91\r\n/)).not.toContain('never')
  ben.close('closed')
  anna.type('echo on=$((1 + 1))\n')
  await anna.until(/on=2\r\n/)
})

test('a viewer with input can type, and stays while the owner is disconnected', async () => {
  const { server, anna, ben } = await givenShared('type')
  ben.type('echo from=$((5 + 5))\n')
  await anna.until(/from=10\r\n/)
  anna.close('detached')
  await server.until(() => ben.people?.[0]?.here === false)
  ben.type('echo alone=$((6 + 6))\n')
  await ben.until(/alone=12\r\n/)
  const again = await new TestChannel(server, { session: anna.session, person: 'Anna (anna)' }).opened()
  await again.until(/alone=12\r\n/)
  await server.until(() => ben.people?.[0]?.here === true && again.people?.length === 2)
})

test('a revoked permission ends that viewer only; the end of the terminal ends all', async () => {
  const { server, anna, ben, join } = await givenShared('type')
  const cleo = await new TestChannel(server, { author: 'cleo', join }).opened()
  ben.close('not_allowed')
  await server.until(() => anna.people?.length === 2)
  expect(cleo.end).toBeUndefined()
  anna.type('exit 4\n')
  expect(await cleo.ended()).toEqual({ code: 'ended', message: 'The shell has ended.' })
  expect(cleo.news.at(-1)).toEqual({ type: 'exit', exit_code: 4 })
  expect(await reasonOf(server, cleo.session)).toBe('The shell has ended.')
})

test('a viewer who reads nothing slows down no user, and gets a redraw of the end', async () => {
  const { server, anna, ben } = await givenShared('view')
  anna.readAll()
  anna.type('stty -echo; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo all=$((4 + 4))\n')
  await anna.until(/all=8/)
  expect(ben.byteCount).toBeLessThanOrEqual(CHANNEL_WINDOW_BYTES)
  ben.readAll()
  await ben.until(/all=8/)
  expect(ben.byteCount).toBeLessThan(1_500_000)
  expect(server.links).toBe(1)
})

test('a missing terminal cannot be joined, nor one with eight viewers', async () => {
  const { server, join } = await givenShared('view')
  const session = crypto.randomUUID()
  const lost = new TestChannel(server, { author: 'ben', join: { session, mode: 'type' } })
  expect(await lost.ended()).toEqual({ code: 'not_found', message: 'This terminal has ended.' })
  expect(await reasonOf(server, lost.session)).toBe('This terminal has ended.')
  for (let count = 1; count < 8; count += 1) await new TestChannel(server, { author: 'x', join }).opened()
  expect(await new TestChannel(server, { author: 'x', join }).ended()).toMatchObject({ code: 'too_many' })
})

test('a lost link ends viewers, but not their terminal', async () => {
  const { server, anna, ben } = await givenShared('type')
  const up = server.untilUp()
  server.socket?.terminate()
  await up
  expect(server.answers.at(-1)?.sessions).toEqual([anna.session, ben.session])
  await reasonOf(server, ben.session)
  await new TestChannel(server, { session: anna.session }).opened()
})

test('the user at the machine is asked for each viewer if the rules require it', async () => {
  const { server, anna, join } = await givenShared('view')
  vi.stubEnv('DISPLAY', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const rules = { ...DEFAULT_REMOTE_RULES, consent: 'require' as const, consent_seconds: 5 }
  server.command(server.sign('set-remote-rules', { revision: 'r1', rules }))
  const cleo = new TestChannel(server, { author: 'cleo', join })
  const end = await cleo.ended()
  expect(end).toMatchObject({ code: 'refused' })
  expect(end.message).toMatch(/user at the machine/)
  expect(cleo.byteCount).toBe(0)
  anna.type('echo alone=$((2 + 3))\n')
  await anna.until(/alone=5\r\n/)
})
