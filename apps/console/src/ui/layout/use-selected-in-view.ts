import { type RefCallback, useCallback } from 'react'

/**
 * The ref of a list of tabs. The selected one is scrolled into view, and stays there when the list becomes narrower. A
 * user who has scrolled to others is left there.
 */
export function useSelectedInView(selected: string): RefCallback<HTMLElement> {
  return useCallback(
    (list) => {
      if (list === null) return undefined
      let isInView = true
      let isShown = false
      const findTab = () => list.querySelector('[aria-selected=true]')
      const show = () => {
        if (isInView) findTab()?.scrollIntoView({ block: 'nearest' })
        isShown = true
      }
      const look = () => {
        // The event of a scroll to the tab that was selected before.
        if (!isShown) return
        const [tab, frame] = [findTab()?.getBoundingClientRect(), list.getBoundingClientRect()]
        isInView = tab === undefined || (tab.right > frame.left && tab.left < frame.right)
      }
      // Called at once as well.
      const watch = new ResizeObserver(show)
      watch.observe(list)
      list.addEventListener('scroll', look)
      return () => {
        watch.disconnect()
        list.removeEventListener('scroll', look)
      }
    },
    // oxlint-disable-next-line react/exhaustive-deps -- Another tab is scrolled to.
    [selected],
  )
}
