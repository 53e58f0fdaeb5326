import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the library and its editor; the library's filter stays in the address. */
export function useScriptAddress() {
  const navigate = useNavigate()
  const openScript = useCallback(
    (item: number | string) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'script', item: `${item}` }) }),
    [navigate],
  )
  const openLibrary = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'scripts', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  const openVersions = useCallback(
    (id: number) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'script-versions', item: `${id}` }) }),
    [navigate],
  )
  return { openScript, openLibrary, openVersions }
}

/** The editor's subject in the address: `new`, `upload`, `clone.7` or `7`. */
export function parseScriptItem(
  item: string | undefined,
): { kind: 'new' } | { kind: 'upload' } | { kind: 'clone' | 'edit'; id: number } | undefined {
  if (item === 'new' || item === 'upload') return { kind: item }
  const [, clone, digits] = /^(clone\.)?([1-9]\d{0,15})$/.exec(item ?? '') ?? []
  const id = Number(digits)
  if (digits === undefined || !Number.isSafeInteger(id)) return undefined
  return { kind: clone === undefined ? 'edit' : 'clone', id }
}
