import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { useMay } from '../../app/api/queries.ts'
import { fieldsQuery } from './fields-query.ts'

interface WithFieldsProps {
  model: CustomFieldModel
  /** Title of the dialog while the fields load. */
  title: string
  onClose: () => void
  children: (fields: readonly CustomField[]) => ReactNode
}

/** Draws a form once its custom fields are known; none for users who may not see them. */
export function WithFields({ model, title, onClose, children }: WithFieldsProps) {
  const mayView = useMay('can_view_customfields')
  const { data, error, refetch } = useQuery({ ...fieldsQuery, enabled: mayView })
  if (!mayView) return children([])
  if (data === undefined) {
    return <StateDialog title={title} onClose={onClose} error={error} onRetry={() => void refetch()} />
  }
  return children(data.filter((field) => field.model === model && !field.hide_in_ui))
}
