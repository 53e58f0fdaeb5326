export const NOTIFICATION_POSITIONS = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const
export type NotificationPosition = (typeof NOTIFICATION_POSITIONS)[number]

/** Position and time of a notification; `timeoutMs` 0 = until dismissed. */
export type NotificationPlacement = { position: NotificationPosition; timeoutMs: number }

/** `base` for background events, `feedback` for the result of the user's own action. */
export const NOTIFICATION_PRESETS = {
  base: { position: 'bottom', timeoutMs: 5000 },
  feedback: { position: 'top', timeoutMs: 2000 },
} as const satisfies Record<string, NotificationPlacement>
export type NotificationPreset = keyof typeof NOTIFICATION_PRESETS

export type PlacementResult = { ok: true; placement: NotificationPlacement } | { ok: false; error: string }

/** A preset with the caller's position and timeout. Returns an error for the log instead of throwing. */
export function placeNotification(
  preset: NotificationPreset,
  { position, timeoutMs }: { position?: unknown; timeoutMs?: unknown } = {},
): PlacementResult {
  const base = NOTIFICATION_PRESETS[preset]
  const place =
    position === undefined ? base.position : NOTIFICATION_POSITIONS.find((known) => known === position)
  if (place === undefined) {
    return { ok: false, error: `Notification position must be one of ${NOTIFICATION_POSITIONS.join(', ')}` }
  }
  const timeout = timeoutMs ?? base.timeoutMs
  if (typeof timeout !== 'number' || !Number.isFinite(timeout)) {
    return { ok: false, error: 'Notification timeout must be a finite number of milliseconds' }
  }
  if (timeout < 0) return { ok: false, error: 'Notification timeout cannot be negative' }
  return { ok: true, placement: { position: place, timeoutMs: timeout } }
}
