import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Navigation between the list of custom fields of one model and the form of one. */
export function useFieldAddress() {
  const navigate = useNavigate()
  const openField = useCallback(
    (item: number | `new.${CustomFieldModel}`) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'custom-field', item: `${item}` }) }),
    [navigate],
  )
  const openList = useCallback(
    (model: CustomFieldModel) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: 'custom-fields', item: model }),
        replace: true,
      }),
    [navigate],
  )
  return { openField, openList }
}
