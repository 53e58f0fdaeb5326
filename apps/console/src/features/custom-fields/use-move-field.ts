import { type CustomField, editCustomField } from '@muster/contract/api/custom-fields'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { fieldsQuery } from './fields-query.ts'

/** Puts a field at another place among those of its model. */
export function useMoveField(): (field: CustomField, order: number) => void {
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ id, order }: { id: number; order: number }) =>
      call(editCustomField, { params: { id }, body: { order } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
  })
  return ({ id }, order) => mutate({ id, order })
}
