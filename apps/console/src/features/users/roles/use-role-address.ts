import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the roles and the form of one. */
export function useRoleAddress() {
  const navigate = useNavigate()
  const openRole = useCallback(
    (item: number | 'new') =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'role', item: `${item}` }) }),
    [navigate],
  )
  const openRoles = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'roles', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { openRole, openRoles }
}
