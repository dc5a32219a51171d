"""Reports: figures of a period as charts, tables and CSV files. Features declare theirs; the screens show any."""
