import { useQuery } from '@tanstack/react-query'
import { tagsQuery } from './tags-query.ts'
import classes from './TagList.module.css'

/** Tags as small marks in one line. */
export function TagList({ names }: { names: readonly string[] }) {
  const { data: tags } = useQuery(tagsQuery)
  return (
    <span className={classes.list} data-tip={names.length > 1 ? names.join(', ') : undefined}>
      {names.map((name) => (
        <span
          key={name}
          className={classes.tag}
          data-color={tags?.find((tag) => tag.name === name)?.color ?? 'gray'}
        >
          {name}
        </span>
      ))}
    </span>
  )
}
