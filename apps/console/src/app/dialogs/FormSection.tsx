import { Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useSavedForm } from './FormDialog.tsx'
import classes from './FormSection.module.css'
import { useLeaveQuestion } from './use-leave-question.tsx'

interface FormSectionProps<Values extends Record<string, unknown>> {
  title: string
  form: UseFormReturnType<Values>
  save: (values: Values) => Promise<unknown>
  /** Notification after saving. */
  done: string
  /** Without the right to save: why; the fields are then disabled. */
  readOnly?: string | undefined
  children: ReactNode
}

/** A form as a section of a page. It stays after saving. Leaving the page with changes asks. */
export function FormSection<Values extends Record<string, unknown>>(props: FormSectionProps<Values>) {
  const { title, form, readOnly, children } = props
  const { element, error, dirty, why, canSave, isPending } = useSavedForm(props, (values) => {
    form.setInitialValues(values)
    form.resetDirty(values)
  })
  const question = useLeaveQuestion(() => dirty, 'page')
  useFieldOfAddress(element.id)
  return (
    <section aria-label={title} className={classes.section}>
      <h2 className={classes.title}>{title}</h2>
      <form {...element}>
        {error}
        {children}
      </form>
      <div className={classes.footer}>
        <span className={classes.why}>{readOnly ?? why}</span>
        {readOnly === undefined && (
          <>
            <Button variant="default" disabled={!dirty || isPending} onClick={form.reset}>
              Discard changes
            </Button>
            <Button type="submit" form={element.id} disabled={!canSave} loading={isPending}>
              Save
            </Button>
          </>
        )}
      </div>
      {question}
    </section>
  )
}

/** Focuses the field that the address names, `?field=companyname`, once. */
function useFieldOfAddress(formId: string): void {
  const { field } = useSearch({ strict: false })
  const navigate = useNavigate()
  useEffect(() => {
    if (field === undefined) return
    const input = document
      .getElementById(formId)
      ?.querySelector<HTMLElement>(`[data-path="${CSS.escape(field)}"]`)
    input?.focus({ preventScroll: true })
    input?.scrollIntoView({ block: 'center' })
    void navigate({
      to: '.',
      search: (old) => ({ ...old, field: undefined }),
      replace: true,
      resetScroll: false,
    })
  }, [field, formId, navigate])
}
