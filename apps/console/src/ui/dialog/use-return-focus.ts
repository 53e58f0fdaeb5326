import { useEffect, useState } from 'react'

/**
 * Gives the keyboard back to where it was when the component was drawn first, once it is gone: for dialogs, which
 * come and go with the address. Mantine's own way looks at `opened`, which does not change then.
 */
export function useReturnFocus(): void {
  const [cameFrom] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isNowhere = document.activeElement === null || document.activeElement === document.body
      if (isNowhere && cameFrom instanceof HTMLElement && cameFrom.isConnected) {
        cameFrom.focus({ preventScroll: true })
      }
    },
    [cameFrom],
  )
}
