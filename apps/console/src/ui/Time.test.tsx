import { MantineProvider } from '@mantine/core'
import { expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { Time } from './Time.tsx'

const relative = (instant: string) => (
  <MantineProvider>
    <Time instant={instant} relative />
  </MantineProvider>
)

test('what has happened since the text was drawn is not said to come', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:00Z') })
  const screen = await render(relative('2026-11-22T09:59:30Z'))
  await expect.element(screen.getByText('30 seconds ago')).toBeVisible()
  vi.setSystemTime(Date.parse('2026-11-22T10:00:08Z'))
  await screen.rerender(relative('2026-11-22T10:00:07Z'))
  await expect.element(screen.getByText('1 second ago')).toBeVisible()
  vi.useRealTimers()
})
