import { MantineProvider } from '@mantine/core'
import { expect, test, vi } from 'vitest'
import { render } from '../test-render.ts'
import { Time } from './Time.tsx'
import { useNow } from './use-now.ts'

const relative = (instant: string) => (
  <MantineProvider>
    <Time instant={instant} relative />
  </MantineProvider>
)

test('a recent event is never in the future', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:00Z') })
  const screen = await render(relative('2026-11-22T09:59:30Z'))
  await expect.element(screen.getByText('30 seconds ago')).toBeVisible()
  vi.setSystemTime(Date.parse('2026-11-22T10:00:08Z'))
  await screen.rerender(relative('2026-11-22T10:00:07Z'))
  await expect.element(screen.getByText('1 second ago')).toBeVisible()
  vi.useRealTimers()
})

test('the time is that of the render, not of the last tick', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:00Z') })
  const Clock = ({ of }: { of: string }) => `${of}: ${new Date(useNow(60_000)).toISOString()}`
  const screen = await render(<Clock of="first" />)
  await expect.element(screen.getByText('first: 2026-11-22T10:00:00.000Z')).toBeVisible()
  vi.setSystemTime(Date.parse('2026-11-22T10:00:07Z'))
  await screen.rerender(<Clock of="second" />)
  await expect.element(screen.getByText('second: 2026-11-22T10:00:07.000Z')).toBeVisible()
  vi.useRealTimers()
})
