import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { urlActionsQuery } from './use-url-actions.ts'

interface UrlActionSelectProps {
  value: number | null
  error: ReactNode
  onChange: (id: number | null) => void
}

/** The URL action of a double click. A deleted one is not chosen any more. */
export function UrlActionSelect({ value, error, onChange }: UrlActionSelectProps) {
  const mayRun = useMay('can_run_urlactions')
  const { data } = useQuery({ ...urlActionsQuery, enabled: mayRun })
  const choices = (data ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))
  const isEmpty = data !== undefined && data.length === 0
  return (
    <Select
      label="URL action"
      data={choices}
      searchable
      value={value === null ? null : `${value}`}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      error={error}
      {...(isEmpty ? { description: 'No URL actions yet. Settings, URL actions adds them.' } : {})}
      {...(mayRun ? {} : { description: 'Your role does not allow URL actions.' })}
    />
  )
}
