// Sizes of the console's frame. Other sizes are beside the code that uses them.
export const HEADER_PX = 50
export const MENU_BAR_PX = 40
export const TABS_AND_SEARCH_PX = 78
export const TAB_STRIP_PX = 37
/** The part of the window that the initial lower pane leaves before it takes half. */
const LOWER_PANE_OFFSET_PX = 82
/** Percent of the width. */
export const TREE_SPLITTER_DEFAULT = 20
export const TREE_RELOAD_DELAY_MS = 150
export const LOADING_DELAY_MS = 50
export const LOADING_BAR_PX = 4
export const ICON_SIZES_PX = { xs: 18, sm: 24, md: 32, lg: 38, xl: 46 } as const
export const HEARTBEAT_MESSAGE = 'ping'
export const DEFAULT_DATE_FORMAT = 'MMM-DD-YYYY - HH:mm'
export const VERSION_CHECK_MS = 4 * 60 * 1000

/** Height of the machines table; `splitterPx` is the height of the lower pane. */
export function tableHeight(windowHeightPx: number, splitterPx: number): number {
  return Math.max(0, windowHeightPx - HEADER_PX - MENU_BAR_PX - TABS_AND_SEARCH_PX - splitterPx)
}

/** Height of a tab's content in the lower pane. */
export function tabHeight(splitterPx: number): number {
  return Math.max(0, splitterPx - TAB_STRIP_PX)
}

/** Height of the lower pane until it is dragged. */
export function initialLowerPaneHeight(windowHeightPx: number): number {
  return Math.max(0, (windowHeightPx - LOWER_PANE_OFFSET_PX) / 2)
}

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
type NotificationPlacement = { position: NotificationPosition; timeoutMs: number }

/** `base` for background events, `feedback` for the result of the user's own action. */
export const NOTIFICATION_PRESETS = {
  base: { position: 'bottom', timeoutMs: 5000 },
  feedback: { position: 'top', timeoutMs: 2000 },
} as const satisfies Record<string, NotificationPlacement>
export type NotificationPreset = keyof typeof NOTIFICATION_PRESETS

type PlacementResult = { ok: true; placement: NotificationPlacement } | { ok: false; error: string }

/** A preset with the caller's position and timeout. Returns an error for the log instead of throwing. */
export function placeNotification(
  preset: NotificationPreset,
  { position, timeoutMs }: { position?: unknown; timeoutMs?: unknown } = {},
): PlacementResult {
  const base = NOTIFICATION_PRESETS[preset]
  const known =
    position === undefined ? base.position : NOTIFICATION_POSITIONS.find((one) => one === position)
  if (known === undefined) {
    return { ok: false, error: `Notification position must be one of ${NOTIFICATION_POSITIONS.join(', ')}` }
  }
  const timeout = timeoutMs ?? base.timeoutMs
  if (typeof timeout !== 'number' || !Number.isFinite(timeout)) {
    return { ok: false, error: 'Notification timeout must be a finite number of milliseconds' }
  }
  if (timeout < 0) return { ok: false, error: 'Notification timeout cannot be negative' }
  return { ok: true, placement: { position: known, timeoutMs: timeout } }
}
