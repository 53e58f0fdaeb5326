import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the list of templates and the form of one. */
export function useTemplateAddress() {
  const navigate = useNavigate()
  const openTemplate = useCallback(
    (item: number | 'new') =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'alert-template', item: `${item}` }) }),
    [navigate],
  )
  const openList = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'alert-templates', item: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { openTemplate, openList }
}
