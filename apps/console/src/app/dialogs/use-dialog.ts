import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { DialogName } from './dialogs.tsx'

/** Opens and closes the dialogs of dialogs.tsx by their address; Back closes them too. */
export function useDialog() {
  const navigate = useNavigate()
  const open = useCallback(
    (dialog: DialogName, item?: string | number, filter?: string) =>
      void navigate({
        to: '.',
        search: (old) => ({
          ...old,
          dialog,
          item: item === undefined ? undefined : `${item}`,
          filter,
        }),
      }),
    [navigate],
  )
  const close = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: undefined, item: undefined, filter: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { open, close }
}
