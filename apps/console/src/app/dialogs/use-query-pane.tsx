import type { Permission } from '@muster/contract/permissions'
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NoPermission } from '../../ui/layout/States.tsx'
import { isRefused } from '../api/describe-error.ts'
import { may, useMe } from '../api/queries.ts'
import { LoadingState } from './GuardedDialog.tsx'

interface PaneOptions {
  /** Nothing is requested without it. Absent: the server alone decides. */
  needs?: Permission
  /** Shown where the role or the server does not allow the content. */
  refused: string
  /** Shown in place of grey rows, such as while the machine is not connected. */
  waiting?: ReactNode
  rows?: number
}

/** The data of a pane; while there is none, `instead` is what to show: the refusal, grey rows, or the error. */
export function useQueryPane<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
  { needs, refused, waiting, rows }: PaneOptions,
) {
  const me = useMe()
  const isAllowed = needs === undefined || (me !== undefined && may(me, needs))
  const query = useQuery({ ...options, ...(isAllowed ? {} : { enabled: false }) })
  const { data, error, refetch } = query
  if ((me !== undefined && !isAllowed) || isRefused(error)) {
    return { query, data: undefined, isRefused: true, instead: <NoPermission message={refused} /> }
  }
  if (data !== undefined) return { query, data, isRefused: false, instead: undefined }
  const retry = () => void refetch()
  const loading = <LoadingState error={error} onRetry={retry} {...(rows === undefined ? {} : { rows })} />
  return { query, data: undefined, isRefused: false, instead: waiting ?? loading }
}
