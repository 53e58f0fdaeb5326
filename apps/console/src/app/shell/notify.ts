import {
  type NotificationPosition,
  type NotificationPreset,
  placeNotification,
} from '@muster/rules/text/layout'
import { createStore, useStore } from '../session/store.ts'

export type NotificationTone = 'positive' | 'negative' | 'warning' | 'info'

export interface NotifyOptions {
  tone?: NotificationTone
  /** A second, dim line: a request id or the next step. */
  caption?: string
  /** `base`: a background event. `feedback`: the result of the user's own action. */
  preset?: NotificationPreset
  position?: NotificationPosition
  /** 0 = until dismissed. */
  timeoutMs?: number
  /** One button, which also closes the notification: `{ label: 'Undo', run }`. */
  action?: NotificationAction
}

interface NotificationAction {
  label: string
  run: () => void
}

export interface Notification {
  id: number
  message: string
  tone: NotificationTone
  caption: string | undefined
  position: NotificationPosition
  timeoutMs: number
  action: NotificationAction | undefined
  /** Equal notifications are one, with a counter. */
  count: number
}

/** Shows a notification: `notify('Saved.', { tone: 'positive', preset: 'feedback' })`. */
export function notify(message: string, options: NotifyOptions = {}): void {
  const placed = placeNotification(options.preset ?? 'base', options)
  if (!placed.ok) {
    // oxlint-disable-next-line no-console -- a programming error, logged for developers; the user only misses one toast
    console.error(placed.error)
    return
  }
  const { tone = 'info', caption, action } = options
  const { position, timeoutMs } = placed.placement
  // Two notifications with Undo stay two, even with equal text.
  const equal =
    action === undefined
      ? shown
          .get()
          .find((other) => other.action === undefined && isEqual(other, { message, tone, caption, position }))
      : undefined
  const notification = {
    id: equal?.id ?? nextId++,
    message,
    tone,
    caption,
    position,
    timeoutMs,
    action,
    count: (equal?.count ?? 0) + 1,
  }
  const others = shown.get()
  shown.set(
    equal ? others.map((other) => (other === equal ? notification : other)) : [...others, notification],
  )
  armTimer(notification)
}

/** Success of the user's own action. */
export const notifyDone = (message: string): void => notify(message, { tone: 'positive', preset: 'feedback' })

/** The same, with an Undo button for 10 seconds. */
export const notifyUndo = (message: string, undo: () => void): void =>
  notify(message, {
    tone: 'positive',
    // Not at the top, where it would cover the search field.
    position: 'bottom',
    timeoutMs: UNDO_MS,
    action: { label: 'Undo', run: undo },
  })

export function dismiss(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  shown.set(shown.get().filter((notification) => notification.id !== id))
}

/** Pauses a notification's timer while it is hovered or focused, and restarts it afterwards. */
export function holdNotification(id: number): void {
  clearTimeout(timers.get(id))
}

export function releaseNotification(id: number): void {
  const notification = shown.get().find((other) => other.id === id)
  if (notification) armTimer(notification)
}

export const useNotifications = (): readonly Notification[] => useStore(shown, (list) => list)

const UNDO_MS = 10_000
let nextId = 1
const shown = createStore<readonly Notification[]>([])
const timers = new Map<number, ReturnType<typeof setTimeout>>()

function armTimer({ id, timeoutMs }: Notification): void {
  clearTimeout(timers.get(id))
  if (timeoutMs > 0) timers.set(id, setTimeout(dismiss, timeoutMs, id))
}

function isEqual(
  a: Notification,
  b: Pick<Notification, 'message' | 'tone' | 'caption' | 'position'>,
): boolean {
  return a.message === b.message && a.tone === b.tone && a.caption === b.caption && a.position === b.position
}
