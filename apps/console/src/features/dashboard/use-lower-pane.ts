import {
  HEADER_PX,
  MENU_BAR_PX,
  TABS_AND_SEARCH_PX,
  TAB_STRIP_PX,
  initialLowerPaneHeight,
  tabHeight,
  tableHeight,
} from '@muster/rules/text/layout'
import { useViewportSize } from '@mantine/hooks'
import { useState } from 'react'

/** Room for the table's titles and two rows. */
const TABLE_LEAST_PX = 94

/** Heights on the dashboard: the lower pane takes half until it is dragged, and all follow the window. */
export function useLowerPane() {
  const viewport = useViewportSize()
  // Not measured yet at the very first.
  const windowHeight = viewport.height === 0 ? window.innerHeight : viewport.height
  const [dragged, setDragged] = useState<number>()
  const most = windowHeight - HEADER_PX - MENU_BAR_PX - TABS_AND_SEARCH_PX - TABLE_LEAST_PX
  const limits = {
    min: TAB_STRIP_PX,
    max: Math.max(TAB_STRIP_PX, most),
    initial: initialLowerPaneHeight(windowHeight),
  }
  const height = Math.round(Math.min(limits.max, Math.max(limits.min, dragged ?? limits.initial)))
  return {
    height,
    limits,
    tableHeight: tableHeight(windowHeight, height),
    contentHeight: tabHeight(height),
    move: setDragged,
  }
}
