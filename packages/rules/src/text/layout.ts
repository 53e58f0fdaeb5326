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
