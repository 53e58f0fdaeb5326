import { type RefCallback, useCallback } from 'react'

/** The ref of a list of tabs. The selected one is scrolled into view, also when the list becomes narrower. */
export function useSelectedInView(selected: string): RefCallback<HTMLElement> {
  return useCallback(
    (list) => {
      const show = () => list?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
      // Called at once as well.
      const watch = new ResizeObserver(show)
      if (list !== null) watch.observe(list)
      return () => watch.disconnect()
    },
    // oxlint-disable-next-line react/exhaustive-deps -- Another tab is scrolled to.
    [selected],
  )
}
