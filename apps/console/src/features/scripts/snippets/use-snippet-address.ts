import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the list of snippets, one of them, and the script library. */
export function useSnippetAddress() {
  const navigate = useNavigate()
  const go = useCallback(
    (dialog: string, item: string | undefined) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog, item }), replace: item === undefined }),
    [navigate],
  )
  return {
    openSnippet: (item: number | 'new') => go('snippet', `${item}`),
    openSnippets: () => go('snippets', undefined),
    openLibrary: () => go('scripts', undefined),
  }
}
