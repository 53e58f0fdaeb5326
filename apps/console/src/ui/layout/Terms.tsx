import classes from './Terms.module.css'

interface TermsProps {
  title: string
  rows: readonly (readonly [term: string, help: string])[]
}

/** Terms as they are typed, each with its meaning. */
export function Terms({ title, rows }: TermsProps) {
  return (
    <>
      <h3 className={classes.title}>{title}</h3>
      <dl className={classes.terms}>
        {rows.map(([term, help]) => (
          <div key={term} className={classes.row}>
            <dt className={classes.term}>{term}</dt>
            <dd className={classes.help}>{help}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
