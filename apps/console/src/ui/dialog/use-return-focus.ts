import { useEffect, useState } from 'react'

/**
 * Returns the focus, on unmount, to where it was at the first render: for dialogs, which come and go with the address.
 * Mantine's own way depends on `opened`, which does not change then.
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
