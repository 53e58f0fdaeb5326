import type { Input } from '@muster/contract/endpoint'
import { listUrlActions, runUrlAction } from '@muster/contract/calls/url-actions'
import { IconExternalLink } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import type { MenuEntry } from '../../ui/dialog/menu-entry.ts'

/** All URL actions by name. */
export const urlActionsQuery = query(listUrlActions, { query: {} })

/** A machine, a site or a client. */
type Target = Omit<Input<typeof runUrlAction>['body'], 'action'>

/** Opens the URL of an action: web pages in a new tab, other schemes by the program that handles them. */
export function useOpenUrlAction(): (action: number, target: Target) => void {
  const { mutate } = useMutation({
    mutationFn: (body: Target & { action: number }) => call(runUrlAction, { body }),
    onSuccess: (url) => {
      if (/^https?:/i.test(url)) window.open(url, '_blank', 'noopener')
      else location.assign(url)
    },
  })
  return (action, target) => mutate({ ...target, action })
}

/** The URL actions as a sub-menu, which is left out without any. `isLoading`: the menu is not complete yet. */
export function useUrlActionMenu(): { urlActions: (target: Target) => MenuEntry[]; isLoading: boolean } {
  const enabled = useMay('can_run_urlactions')
  const { data = [], isLoading } = useQuery({ ...urlActionsQuery, enabled })
  const open = useOpenUrlAction()
  const urlActions = (target: Target): MenuEntry[] => {
    if (!enabled || data.length === 0) return []
    const entries = data.map(({ id, name, desc }) => ({
      id: `url-action-${id}`,
      label: name,
      icon: IconExternalLink,
      note: desc === '' ? undefined : desc,
      words: 'url link web',
      run: () => open(id, target),
    }))
    return [{ id: 'url-actions', label: 'Open a URL', icon: IconExternalLink, entries }]
  }
  return { urlActions, isLoading }
}
