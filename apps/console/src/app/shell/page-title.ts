import { useEffect } from 'react'

const PRODUCT = 'Muster'

/** Names the page in the tab of the browser, so that tabs differ from each other. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return undefined
    document.title = `${title} | ${PRODUCT}`
    return () => {
      document.title = PRODUCT
    }
  }, [title])
}
