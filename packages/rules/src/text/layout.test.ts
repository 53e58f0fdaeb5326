import { expect, test } from 'vitest'
import * as layout from './layout.ts'

test.each([
  ['header', layout.HEADER_PX, 50],
  ['menu bar', layout.MENU_BAR_PX, 40],
  ['tabs and search', layout.TABS_AND_SEARCH_PX, 78],
  ['tab strip', layout.TAB_STRIP_PX, 37],
  ['client tree splitter default', layout.TREE_SPLITTER_DEFAULT, 20],
  ['tree reload delay', layout.TREE_RELOAD_DELAY_MS, 150],
  ['loading delay', layout.LOADING_DELAY_MS, 50],
  ['loading bar size', layout.LOADING_BAR_PX, 4],
  ['icon sizes', layout.ICON_SIZES_PX, { xs: 18, sm: 24, md: 32, lg: 38, xl: 46 }],
  ['web-socket heartbeat default message', layout.HEARTBEAT_MESSAGE, 'ping'],
  ['default date format', layout.DEFAULT_DATE_FORMAT, 'MMM-DD-YYYY - HH:mm'],
  ['version check, every 4 minutes', layout.VERSION_CHECK_MS, 240_000],
])('%s', (_item, value, expected) => {
  expect(value).toEqual(expected)
})

test.each([
  [900, 409, 323],
  [1080, 300, 612],
  [168, 0, 0],
  [300, 400, 0],
])('table height: window %d, splitter %d', (windowHeightPx, splitterPx, expected) => {
  expect(layout.tableHeight(windowHeightPx, splitterPx)).toBe(expected)
})

test.each([
  [409, 372],
  [37, 0],
  [0, 0],
])('tab height: splitter %d', (splitterPx, expected) => {
  expect(layout.tabHeight(splitterPx)).toBe(expected)
})

test.each([
  [900, 409],
  [82, 0],
  [0, 0],
])('the lower pane starts at half of the window less 82: window %d', (windowHeightPx, expected) => {
  expect(layout.initialLowerPaneHeight(windowHeightPx)).toBe(expected)
})
