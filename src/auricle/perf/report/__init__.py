"""What a load test found, for people and for spreadsheets; made from its summaries alone.

    table.terminal(summaries), table.summary_csv(summaries)
    markdown.markdown(about, summaries)
    page.render(about, points)          with `course.course(columns)` of each point for pictures

`about` says whose numbers these are: `task`, `model`, and, if known, `created`, `auricle` and
`facts`, pairs of a term and its text. All of it may be left out.
"""
