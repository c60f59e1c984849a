/** Adds a constraint (`kind`: `pg_constraint.contype`) if a field has none. Replicas that start together take turns. */
export function addConstraint(table: string, field: string, kind: "u" | "f", constraint: string): string {
  return `
    SELECT pg_advisory_xact_lock(hashtext('${table}'));
    DO $$ BEGIN
      IF NOT EXISTS (
        SELECT FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND ARRAY[attnum] = conkey
        WHERE conrelid = to_regclass('"${table}"') AND contype = '${kind}' AND attname = '${field}'
      ) THEN ALTER TABLE "${table}" ADD ${constraint};
      END IF;
    END $$;`;
}
