import type { Permission } from '@muster/contract/permissions'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import list from '../../ui/layout/ListPane.module.css'
import { NoPermission } from '../../ui/layout/States.tsx'
import { may, useMe } from '../api/queries.ts'
import classes from './ListPage.module.css'
import { usePageTitle } from './page-title.ts'

interface ListPageProps {
  title: string
  needs: Permission
  /** "Your role does not allow you to see scripts." */
  refused: string
  /** Buttons at the right of the title; the one that creates an item last. */
  actions?: ReactNode
  children: ReactNode
}

/** A page with a list that fills it. */
export function ListPage({ title, needs, refused, actions, children }: ListPageProps) {
  usePageTitle(title)
  const me = useMe()
  const isAllowed = me !== undefined && may(me, needs)
  return (
    <div className={list.pane}>
      <header className={classes.head}>
        <h1 className="page-title">{title}</h1>
        {isAllowed && <div className={classes.actions}>{actions}</div>}
      </header>
      {isAllowed ? children : me !== undefined && <NoPermission message={refused} />}
    </div>
  )
}

/** The filter of the list, in the address: `?find=disk`. */
export function useFind(): [find: string, setFind: (find: string | undefined) => void] {
  const { find = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const setFind = useCallback(
    (next: string | undefined) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, find: next || undefined }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return [find, setFind]
}
