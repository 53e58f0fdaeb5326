import { listAgents } from '@muster/contract/api/agents'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer } from '../../testing/test-server.ts'
import { testMachine } from '../agents/test-machines.ts'

const machine = (id: string, hostname: string, connected = true) =>
  testMachine({ agent_id: id, hostname, connected, status: connected ? 'online' : 'offline' })

async function openDialog(item: string, machines = MACHINES) {
  givenSession({ token: 'token', username: 'ada' })
  const server = givenFrame()
  server.on(listAgents, () => answer(listAgents, machines))
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  const { screen, at } = await openConsole(`/agents/abcdefgh12?dialog=side-by-side${item}`)
  const search = screen.getByRole('textbox', { name: 'Search machines' })
  await expect.element(search).toHaveFocus()
  const box = (name: string | RegExp) => screen.getByRole('checkbox', { name })
  const asked = () => server.calls(listAgents).map(({ search: query }) => `${query}`)
  return { screen, at, opened, search, box, asked }
}

const MACHINES = [
  machine('bravo0000000', 'PC-2'),
  machine('alpha0000000', 'PC-1'),
  machine('delta0000000', 'PC-0', false),
  machine('charl0000000', 'PC-3'),
]

test('several machines of a client are chosen with the keyboard, and their terminals opened', async () => {
  const { opened, search, box, asked, at, screen } = await openDialog('&item=client-1')
  expect(asked().some((query) => query.includes('client=1'))).toBe(true)
  await expect.element(page.getByRole('button', { name: 'Open', exact: true })).toBeDisabled()
  // Offline machines are last, and cannot be selected.
  await expect
    .poll(() => page.getByRole('list', { name: 'Machines' }).element().textContent)
    .toMatch(/PC-1.*PC-2.*PC-3.*PC-0/)
  await expect.element(box(/^PC-0/)).toBeDisabled()
  await userEvent.keyboard('{Tab}')
  await expect.element(box('All online machines')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown} {ArrowDown} ')
  await expect.element(box(/^PC-3/)).toBeChecked()
  await expect.element(screen.getByText('2 selected, up to 12')).toBeVisible()
  await search.fill('pc-1')
  await expect.element(box(/^PC-2/)).not.toBeInTheDocument()
  await userEvent.keyboard('{Enter}')
  expect(opened.mock.calls).toEqual([
    ['/terminals?agents=bravo0000000.charl0000000', '_blank', expect.stringContaining('popup')],
  ])
  await expect.poll(at).toBe('/agents/abcdefgh12')
})

test('a machine is chosen from its own menu, and others with it, all at once', async () => {
  const { opened, box } = await openDialog('&item=agent-charl0000000')
  await expect.element(box(/^PC-3/)).toBeChecked()
  await expect.poll(() => page.getByRole('list', { name: 'Machines' }).element().textContent).toMatch(/^PC-3/)
  await box('All online machines').click()
  await page.getByRole('button', { name: 'Open 3 terminals' }).click()
  const [address] = opened.mock.calls[0] ?? []
  expect(address).toBe('/terminals?agents=charl0000000.alpha0000000.bravo0000000')
})

test('no more machines are chosen than fit a window, and many are searched', async () => {
  const many = Array.from({ length: 260 }, (_, index) =>
    machine(`agent${`${index}`.padStart(7, '0')}`, `HOST-${`${index}`.padStart(3, '0')}`),
  )
  const { box, search, screen } = await openDialog('', many)
  await expect.element(screen.getByText('and 60 more: search for them.')).toBeVisible()
  await expect.element(box('All online machines')).not.toBeInTheDocument()
  await search.fill('HOST-01')
  await box('All online machines').click()
  await expect.element(screen.getByText('10 selected, up to 12')).toBeVisible()
  await search.fill('HOST-24')
  await box(/^HOST-240/).click()
  await box(/^HOST-241/).click()
  await expect.element(box(/^HOST-242/)).toBeDisabled()
  await expect.element(box(/^HOST-240/)).toBeEnabled()
})
