"""Cases 1 to 21: the feed, the queue and the database."""

from tests.hardening.case import Case, tests_of

STREAM_AND_STORAGE = (
    Case(
        "1",
        "malformed bytes in the feed",
        "The exact events, or a skip that is counted; no exception leaves the reader.",
        (
            *tests_of(
                "bot/daemon/event_stream/test_framing.py",
                """every_conformance_vector_is_read_in_any_division
                any_division_of_any_bytes_gives_the_same_frames
                no_bytes_break_the_reading_of_a_frame""",
            ),
            *tests_of(
                "bot/daemon/intake/test_stream_connections.py",
                "no_broken_answer_stops_it_or_loses_anything",
            ),
            *tests_of(
                "hardening/test_stream.py",
                "a_stream_says_the_same_however_it_is_divided",
            ),
            *tests_of("fuzz/test_targets.py", "every_kept_input_keeps_the_promises"),
        ),
    ),
    Case(
        "2",
        "an endless line or event",
        "At 4 MiB it is passed over and buried as a dead letter; what follows is read.",
        (
            *tests_of(
                "bot/daemon/event_stream/test_framing.py",
                """a_line_without_end_is_passed_over_in_little_memory
                a_million_lines_of_data_are_one_frame_that_is_too_large
                the_size_cap_does_not_depend_on_the_division""",
            ),
            *tests_of(
                "hardening/test_stream.py",
                "what_comes_behind_a_line_without_end_is_read",
            ),
        ),
    ),
    Case(
        "3",
        "broken JSON and wrong types",
        "A dead letter with the beginning of the text; the position goes on.",
        tests_of(
            "bot/daemon/intake/test_decoding.py",
            """no_json_that_tests_parsers_breaks_it what_is_not_an_event_becomes_a_dead_letter
            no_value_of_any_field_breaks_it no_text_breaks_it a_redacted_event_names_no_user
            a_dead_letter_keeps_the_beginning_without_names_of_users""",
        )
        + tests_of(
            "bot/daemon/intake/test_stream_losses.py",
            "what_cannot_be_read_is_buried_once_and_the_rest_goes_on",
        ),
    ),
    Case(
        "4",
        "events of one millisecond around a disconnect",
        "None is lost: each connection begins a minute before the last event.",
        tests_of(
            "bot/daemon/intake/test_stream.py",
            """events_of_one_millisecond_are_not_lost_between_connections
            nothing_is_lost_or_doubled_by_a_proxy_that_cuts_and_divides_the_stream""",
        )
        + tests_of(
            "hardening/test_stream.py",
            "no_event_of_a_crowded_millisecond_is_lost_however_often_it_is_cut",
        ),
    ),
    Case(
        "5",
        "events that come twice",
        "A revision counts once, whatever stream or data centre tells of it.",
        tests_of(
            "bot/daemon/intake/test_stream.py",
            """what_the_server_sends_twice_counts_once
            a_revision_that_two_streams_tell_of_counts_once""",
        )
        + tests_of(
            "bot/daemon/intake/test_known_changes.py",
            """a_change_is_new_once
            a_revision_is_new_once_whatever_the_id_of_the_event""",
        )
        + tests_of(
            "bot/store/test_jobs.py",
            """a_change_that_comes_again_is_no_news
            of_several_revisions_of_a_page_the_newest_waits""",
        )
        + tests_of("bot/store/test_feeds.py", "a_batch_that_comes_twice_is_kept_once"),
    ),
    Case(
        "6",
        "gaps",
        "A hole is kept, reported and filled from the wikis' own lists of changes.",
        tests_of(
            "bot/daemon/intake/test_backfill.py",
            """a_hole_is_filled_with_all_changes_of_all_wikis
            a_hole_is_closed_only_once_every_wiki_gave_all
            changes_of_a_real_wiki_fill_a_hole""",
        )
        + tests_of(
            "bot/store/test_status.py",
            "a_feed_tells_its_lag_its_holes_and_its_dead_letters",
        )
        + tests_of(
            "bot/daemon/intake/test_offsets.py",
            "a_number_that_grows_by_more_than_came_is_noticed",
        )
        + tests_of(
            "bot/daemon/intake/test_stream_losses.py",
            "events_that_are_passed_over_within_a_connection_are_a_hole",
        ),
        "A server that gives its events no numbers, and drops some while connected, is not"
        " seen.",
    ),
    Case(
        "7",
        "an outage longer than the feed remembers",
        "The hole is noticed, recorded and filled; what a wiki has forgotten is told.",
        tests_of(
            "bot/daemon/intake/test_stream_losses.py",
            "events_that_the_server_no_longer_has_are_a_hole",
        )
        + tests_of(
            "bot/daemon/intake/test_backfill.py",
            "what_a_wiki_has_forgotten_is_reported_and_the_hole_closed",
        ),
    ),
    Case(
        "8",
        "429 and the cap of connections",
        "One connection at a time, at most one try in five seconds, waits as asked.",
        tests_of(
            "bot/daemon/event_stream/test_connection.py",
            """there_is_one_connection_at_a_time
            it_waits_as_long_as_the_server_asks_within_reason""",
        )
        + tests_of(
            "bot/daemon/intake/test_stream_connections.py",
            """too_many_connections_are_answered_by_waiting_as_long_as_asked
            no_two_connections_follow_within_the_set_time
            waits_grow_with_each_failure_and_with_chance""",
        ),
    ),
    Case(
        "9",
        "silence",
        "A minute without an event ends the connection; canaries count as life.",
        tests_of(
            "bot/daemon/intake/test_stream_connections.py",
            """silence_is_noticed_and_ended_by_another_connection
            bytes_that_are_no_event_do_not_hide_a_silence
            canaries_alone_are_no_silence""",
        ),
    ),
    Case(
        "10",
        "kill -9 anywhere",
        "Position and jobs are one transaction: nothing is lost, nothing done twice.",
        tests_of(
            "bot/daemon/intake/test_queueing.py",
            "a_process_that_is_killed_again_and_again_loses_no_change",
        )
        + tests_of("bot/store/test_killed.py", "nothing_is_ever_half_saved")
        + tests_of(
            "bot/daemon/test_killed.py",
            "nothing_is_lost_doubled_or_changed_when_the_daemon_is_killed",
        )
        + tests_of(
            "torture/test_sharing.py",
            "nothing_is_lost_or_asked_in_haste_when_workers_and_readers_are_killed",
        ),
    ),
    Case(
        "11",
        "SIGTERM with 15 seconds, or none",
        "Work is given back and the process ends in time; nothing depends on it.",
        tests_of(
            "bot/daemon/test_roles.py",
            """a_signal_is_a_wish_to_stop a_role_that_does_not_end_in_time_is_cancelled
            a_thread_that_hangs_does_not_keep_the_program_from_ending""",
        )
        + tests_of(
            "test_daemon_program.py",
            """it_ends_in_time_in_the_middle_of_its_work
            a_daemon_whose_wiki_and_feed_are_away_waits_and_ends_when_told""",
        )
        + tests_of(
            "bot/daemon/worker/test_leases.py",
            "a_worker_that_is_told_to_end_gives_its_page_back",
        ),
    ),
    Case(
        "12",
        "two daemons at once",
        "Leases are fenced: a late write of one that was stopped is refused.",
        tests_of(
            "hardening/test_stopped.py",
            "a_worker_that_was_stopped_beyond_its_lease_changes_nothing",
        )
        + tests_of(
            "bot/store/test_jobs.py",
            """the_lease_of_a_dead_worker_runs_out_and_its_token_is_worth_nothing
            the_result_of_a_lost_lease_is_dropped""",
        )
        + tests_of("bot/store/test_outbox.py", "processes_never_try_one_post_at_once")
        + tests_of(
            "bot/writing/test_crashes.py", "two_publishers_at_once_make_a_post_once"
        ),
    ),
    Case(
        "13",
        "clocks that jump",
        "An hour forth or back loses no work, does none twice and stops nothing.",
        tests_of(
            "hardening/test_stopped.py",
            "a_clock_that_jumps_doubles_no_work_and_loses_none",
        )
        + tests_of(
            "bot/store/test_clock_repair.py",
            """work_of_an_hour_that_has_not_come_is_due_now
            work_of_a_right_clock_stays_as_it_is""",
        )
        + tests_of(
            "soak/test_soak.py",
            "a_clock_moves_under_a_program_and_its_waits_stay_what_they_are",
        ),
        "How the whole program takes it is measured alone, by `./dev soak clock`.",
    ),
    Case(
        "14",
        "a poison job",
        "Attempts count before the work; the page is parked and the next one runs.",
        tests_of(
            "bot/store/test_jobs.py",
            """a_page_that_kills_its_workers_is_parked
            a_failure_that_may_pass_is_tried_again_later_and_not_for_ever""",
        )
        + tests_of(
            "bot/daemon/worker/test_pages.py",
            "a_fault_of_the_program_stops_no_worker_and_ends_parked",
        )
        + tests_of(
            "bot/store/test_fetches.py",
            "a_source_that_its_readers_die_over_is_given_up_with_a_reason",
        ),
    ),
    Case(
        "15",
        "a storm of edits",
        "A page waits once with its newest revision; a storm keeps no other wiki waiting.",
        tests_of(
            "bot/store/test_jobs.py",
            """of_several_revisions_of_a_page_the_newest_waits
            a_page_rests_after_it_was_checked
            the_state_tells_since_when_the_longest_waiting_page_is_due""",
        )
        + tests_of(
            "bot/store/test_sharing.py", "a_storm_of_one_wiki_keeps_no_other_waiting"
        )
        + tests_of("bot/app/test_logs.py", "a_storm_is_a_few_lines_and_hides_no_fault"),
        "The flat memory over a million events is what `./dev soak` measures.",
    ),
    Case(
        "16",
        "a full disk, a file system without writing",
        "A clear error, nothing half saved, intake reads no further and goes on by itself.",
        tests_of(
            "bot/store/test_failures.py",
            """a_full_disk_is_reported_and_nothing_is_half_saved
            a_database_that_may_not_be_written_is_reported""",
        )
        + tests_of(
            "bot/daemon/intake/test_stream_losses.py",
            "while_nothing_can_be_kept_nothing_is_lost",
        )
        + tests_of(
            "torture/test_databases_and_disks.py",
            "nothing_is_lost_when_the_disk_is_full",
        )
        + tests_of(
            "bot/writing/test_session.py",
            "nothing_is_written_while_the_disk_has_no_room_for_the_session",
        ),
        "EIO of a failing device is not made (dm-error needs rights that a test has not).",
    ),
    Case(
        "17",
        "SQLite busy, damaged, or on a network file system",
        "Busy waits, damage is told, and a network file system is refused at the start.",
        tests_of(
            "bot/store/test_failures.py",
            """a_database_that_another_program_holds_is_worth_another_try
            a_damaged_database_is_reported
            sqlite_is_refused_where_files_come_over_a_network""",
        ),
    ),
    Case(
        "18",
        "MariaDB restarts, locks, ends connections during COMMIT",
        "Every transaction is made again as a whole; an unclear COMMIT counts once.",
        tests_of(
            "bot/store/test_failures.py",
            """a_transaction_that_the_server_cuts_is_made_again
            a_run_whose_commit_is_never_confirmed_is_saved_once
            a_connection_that_the_server_ends_is_replaced
            a_row_that_another_worker_holds_is_worth_another_try""",
        )
        + tests_of(
            "torture/test_databases_and_disks.py",
            "nothing_is_lost_when_the_database_is_killed",
        )
        + tests_of(
            "bot/store/test_half_open.py",
            "a_silent_database_connection_is_dropped_and_retried",
        ),
    ),
    Case(
        "19",
        "half letters, NUL, long titles",
        "Cleaned where they come in, bounded before the database.",
        tests_of(
            "bot/store/test_sanitise.py",
            """text_that_a_database_refuses_is_made_fit
            headings_addresses_and_sources_of_any_length_fit
            a_title_that_cannot_be_a_key_is_refused_not_clipped""",
        )
        + tests_of(
            "bot/store/test_kept_suggestions.py",
            "details_without_end_and_letters_that_are_none_are_made_fit",
        )
        + tests_of(
            "bot/sources/extraction/test_text.py",
            "whatever_comes_in_is_fit_to_be_stored",
        )
        + tests_of(
            "gadget/cards/test_a_card.py",
            "letters_that_no_answer_can_carry_are_replaced",
        ),
    ),
    Case(
        "20",
        "a migration that is killed",
        "The next start finishes it; tables of a newer program are left alone.",
        tests_of(
            "bot/store/test_migrations.py",
            """a_start_that_is_killed_at_any_moment_does_no_harm
            a_migration_that_was_interrupted_is_finished
            processes_that_start_at_once_all_find_the_tables
            tables_of_a_newer_program_are_left_alone""",
        ),
    ),
    Case(
        "21",
        "SQL through titles, names and parameters",
        "Words are bound values; no statement is put together from strings.",
        tests_of(
            "hardening/test_statements.py",
            """no_statement_is_put_together_from_strings one_that_is_would_be_found
            what_is_written_to_break_out_of_a_statement_is_a_title_like_any_other""",
        )
        + tests_of("bot/store/test_sanitise.py", "every_word_is_only_ever_a_value"),
    ),
)
