import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { listOpenTerminals } from '@muster/contract/api/remote'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { givenMe } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { openTab } from './test-tab.tsx'

const BASH = { shell: '/bin/bash', user: 'root' }
const SESSION = '11111111-1111-4111-8111-111111111111'
const ANNA = { name: 'Anna (anna)', role: 'owner', here: true } as const

async function givenColleague() {
  const given = await openTab()
  const open = [{ session: SESSION, username: 'anna', started_at: '2026-11-22T14:02:00.000Z' }]
  given.server.on(listOpenTerminals, () => answer(listOpenTerminals, open))
  given.windows[0]?.open(BASH)
  const join = async (name: string) => {
    await given.screen.getByRole('button', { name: 'Join', exact: true }).click()
    await given.screen.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click()
    await expect.poll(() => given.windows.at(-1)?.asked).toBeDefined()
    const guest = given.windows.at(-1)
    if (guest === undefined) throw new Error('there is one')
    guest.open(BASH)
    guest.deliver({ type: 'size', cols: 61, rows: 17 })
    return guest
  }
  return { ...given, join }
}

test("a colleague's terminal is watched in its own size, without sending keys", async () => {
  const { screen, join } = await givenColleague()
  const guest = await join('Watch the terminal of anna')
  expect(guest.asked).toMatchObject({ session: null, join: { session: SESSION, mode: 'view' } })
  await expect.element(screen.getByText('Watching, without typing, /bin/bash as root on PC-12')).toBeVisible()
  guest.deliver({ type: 'people', people: [ANNA, { name: 'Ada', role: 'view', here: true }] })
  await expect.element(screen.getByText('Anna (anna) opened it · Ada watches')).toBeVisible()
  guest.print('what anna sees')
  await expect.element(screen.getByText('what anna sees')).toBeVisible()
  await userEvent.keyboard('rm -rf /')
  expect(guest.received).toBe('')
  expect(guest.sizes).toEqual([])
  await screen.getByRole('button', { name: 'Leave' }).click()
  await expect.element(screen.getByText('You left the session.')).toBeVisible()
  expect(guest.isEnded).toBe(true)
})

test('a guest with permission types; the owner sees who joins and leaves', async () => {
  const { screen, windows, join } = await givenColleague()
  const people = [
    { ...ANNA, here: false },
    { name: 'Ada\u202E\n', role: 'type', here: true },
  ]
  windows[0]?.deliver({ type: 'people', people })
  await expect.element(screen.getByText('Anna (anna) opened it, away now · Ada types')).toBeVisible()
  windows[0]?.deliver({ type: 'people', people: people.slice(0, 1) })
  await expect.element(screen.getByText('Anna (anna) opened it')).not.toBeInTheDocument()
  const guest = await join('Type into the terminal of anna')
  await expect.element(screen.getByRole('tab', { name: 'anna: terminal' })).toBeVisible()
  await userEvent.keyboard('ls')
  await expect.poll(() => guest.received).toBe('ls')
  guest.end('not_allowed', "Your role does not allow colleagues' terminals.")
  await expect.element(screen.getByText("Your role does not allow colleagues' terminals.")).toBeVisible()
})

test('a role without permission sees no way to join', async () => {
  const { screen } = await openTab(
    undefined,
    givenMe({ is_superuser: false, permissions: ['can_use_terminal'] }),
  )
  await expect.element(screen.getByRole('button', { name: 'New tab' })).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Join', exact: true })).not.toBeInTheDocument()
})
