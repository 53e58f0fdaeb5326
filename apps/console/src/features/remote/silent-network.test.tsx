import '../../app/mantine-styles.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTab } from './test-tab.tsx'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('a network that dies without a word is missed, said, and left for a new connection', async () => {
  const { screen, windows } = await openTab()
  windows[0]?.open({ shell: '/bin/bash', user: 'root' })
  await expect.element(screen.getByText('In /bin/bash as root', { exact: false })).toBeVisible()
  for (let seconds = 0; seconds < 60; seconds += 5) {
    vi.advanceTimersByTime(5000)
    windows[0]?.answerPings()
  }
  expect(windows).toHaveLength(1)
  vi.advanceTimersByTime(25_000)
  await expect
    .element(screen.getByText('Connection lost. The terminal stays open for ten minutes', { exact: false }))
    .toBeVisible()
  await expect.poll(() => windows[1]?.asked).toMatchObject({ tool: 'terminal', session: windows[0]?.session })
})
