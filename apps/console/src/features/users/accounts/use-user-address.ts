import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the users and the form of one. */
export function useUserAddress() {
  const navigate = useNavigate()
  const openUser = useCallback(
    (item: number | 'new') =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'user', item: `${item}` }) }),
    [navigate],
  )
  const openUsers = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'users', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { openUser, openUsers }
}
