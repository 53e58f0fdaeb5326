import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { render } from '../../ui/test-render.ts'
import { MantineProvider } from '@mantine/core'
import { NotificationArea } from './NotificationArea.tsx'
import { notify, notifyDone, notifyUndo } from './notify.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(async () => {
  await vi.runAllTimersAsync()
  vi.useRealTimers()
})

const show = () =>
  render(
    <MantineProvider>
      <NotificationArea />
    </MantineProvider>,
  )

test('a background event shows at the bottom for 5000 ms', async () => {
  const screen = await show()
  notify('The agent is back.')
  const toast = screen.getByText('The agent is back.')
  await expect.element(toast).toBeVisible()
  expect(toast.element().closest('[data-position]')?.getAttribute('data-position')).toBe('bottom')
  vi.advanceTimersByTime(4_999)
  await expect.element(toast).toBeVisible()
  vi.advanceTimersByTime(1)
  await expect.element(toast).not.toBeInTheDocument()
})

test('feedback to an action shows at the top for 2000 ms', async () => {
  const screen = await show()
  notifyDone('Saved.')
  const toast = screen.getByText('Saved.')
  await expect.element(toast).toBeVisible()
  expect(toast.element().closest('[data-position]')?.getAttribute('data-position')).toBe('top')
  vi.advanceTimersByTime(2_000)
  await expect.element(toast).not.toBeInTheDocument()
})

test('an undoable action offers Undo for 10 seconds, and two stay two', async () => {
  const screen = await show()
  const undone: string[] = []
  notifyUndo('Maintenance has started.', () => undone.push('first'))
  notifyUndo('Maintenance has started.', () => undone.push('second'))
  const buttons = screen.getByRole('button', { name: 'Undo' })
  await expect.poll(() => buttons.elements().length).toBe(2)
  vi.advanceTimersByTime(9_999)
  ;(buttons.last().element() as HTMLElement).click()
  await expect.poll(() => buttons.elements().length).toBe(1)
  expect(undone).toEqual(['second'])
  vi.advanceTimersByTime(1)
  await expect.element(screen.getByText('Maintenance has started.')).not.toBeInTheDocument()
})

test('equal notifications are one with a counter, and its time starts again', async () => {
  const screen = await show()
  const toast = screen.getByText('No answer.')
  notify('No answer.', { tone: 'negative' })
  vi.advanceTimersByTime(3_000)
  notify('No answer.', { tone: 'negative' })
  notify('No answer.', { tone: 'negative' })
  await expect.element(screen.getByLabelText('3 times')).toBeVisible()
  expect(toast.elements()).toHaveLength(1)
  // 5,500 ms after the first one, 2,500 ms after the last.
  vi.advanceTimersByTime(2_500)
  expect(toast.elements()).toHaveLength(1)
  vi.advanceTimersByTime(2_500)
  await expect.element(toast).not.toBeInTheDocument()
})

test('a timeout of 0 stays until it is dismissed', async () => {
  const screen = await show()
  notify('Read this.', { timeoutMs: 0 })
  vi.advanceTimersByTime(60_000)
  await expect.element(screen.getByText('Read this.')).toBeVisible()
  await screen.getByRole('button', { name: 'Dismiss' }).click()
  await expect.element(screen.getByText('Read this.')).not.toBeInTheDocument()
})

test.each([{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { position: 'nowhere' }])(
  'a bad value %o is logged and shows nothing',
  async (options) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const screen = await show()
    // As a caller without types might pass them.
    notify('Lost.', options as object)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
    await expect.element(screen.getByText('Lost.')).not.toBeInTheDocument()
  },
)

test('hostile text is text', async () => {
  const screen = await show()
  notify('<img src=x onerror=alert(1)>', { caption: '<b>bold</b>' })
  await expect.element(screen.getByText('<img src=x onerror=alert(1)>')).toBeVisible()
  expect(document.querySelector('[data-position] img')).toBeNull()
})
