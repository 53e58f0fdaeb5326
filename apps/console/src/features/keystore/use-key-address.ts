import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the key store and the form of one key. */
export function useKeyAddress() {
  const navigate = useNavigate()
  const openKey = useCallback(
    (item: number | 'new') =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'key', item: `${item}` }) }),
    [navigate],
  )
  const openStore = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'keystore', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { openKey, openStore }
}
